#pragma once
// What an instruction does to the order of execution: the one thing about opcodes that control-flow analyses need to
// know.

#include <cstdint>

#include "isa/description.hpp"

namespace heddle::instructions {

enum class FlowKind : std::uint8_t {
  None,            ///< the next instruction follows
  Label,           ///< a block label
  Subroutine,      ///< starts a subroutine
  Jump,            ///< jmp: all channels together
  Goto,            ///< goto: channel by channel
  Switch,          ///< switchjmp
  Call,            ///< call of a subroutine of this object (fccall: of another object, by label)
  Return,          ///< ret
  FunctionCall,    ///< fcall, ifcall: another object
  FunctionReturn,  ///< fret
  Barrier,         ///< all threads of the group meet
  Remark,          ///< lines of debug information and lifetimes: nothing is executed
};

[[nodiscard]] FlowKind flow_kind(const isa::InstructionDescription& description);
/// A message that ends the thread (raw_sends with its end-of-thread flag).
[[nodiscard]] bool ends_thread(const isa::Object& object, const isa::Instruction& instruction);

}  // namespace heddle::instructions
