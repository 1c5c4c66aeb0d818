#include "instructions/flow/flow_kind.hpp"

namespace heddle::instructions {

FlowKind flow_kind(const isa::InstructionDescription& description) {
  switch (description.opcode) {
    case 0x30:
      return FlowKind::Subroutine;
    case 0x31:
      return FlowKind::Label;
    case 0x32:
      return FlowKind::Jump;
    case 0x33:
      return FlowKind::Call;
    case 0x34:
      return FlowKind::Return;
    case 0x4f:
    case 0x67:
      return FlowKind::FunctionCall;
    case 0x51:
    case 0x52:
    case 0x7b:
      return FlowKind::Remark;
    case 0x59:
    case 0x60:
    case 0x7c:
      return FlowKind::Barrier;
    case 0x68:
      return FlowKind::FunctionReturn;
    case 0x69:
      return FlowKind::Switch;
    case 0x6c:
      return FlowKind::Goto;
    default:
      return FlowKind::None;
  }
}

bool ends_thread(const isa::Object& object, const isa::Instruction& instruction) {
  if (instruction.description->traits.ends_thread) return true;
  const isa::Operand* eot = isa::operand_named(object, instruction, "eot");
  return eot != nullptr && eot->kind == isa::OperandKind::Integer && eot->value != 0;
}

}  // namespace heddle::instructions
