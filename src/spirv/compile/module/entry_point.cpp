// SPDX-License-Identifier: MIT
#include "spirv/compile/module/entry_point.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv::compiler {

EntryPoint read_entry_point(const Module& module, const Instruction& point, isa::ShaderStage stage,
                            Constants& constants) {
  EntryPoint entry;
  entry.stage = stage;
  entry.function = point.operands[1];
  entry.name = Module::string_at(point.operands, 2);
  const std::size_t name_words = entry.name.size() / 4 + 1;
  for (std::size_t k = 2 + name_words; k < point.operands.size(); ++k) entry.interface_ids.push_back(point.operands[k]);
  for (const Instruction& i : module.instructions) {
    const auto op = static_cast<spv::Op>(i.opcode);
    if ((op != spv::Op::OpExecutionMode && op != spv::Op::OpExecutionModeId) || i.operands.size() < 2 ||
        i.operands[0] != entry.function)
      continue;
    std::vector<std::uint32_t>& words = entry.modes[i.operands[1]];
    for (const std::uint32_t word : i.operands.subspan(2))
      words.push_back(op == spv::Op::OpExecutionMode ? word
                                                     : static_cast<std::uint32_t>(constants.integer(word).value_or(0)));
  }
  return entry;
}

bool has_derivatives(const EntryPoint& entry) {
  const auto mode = [&](spv::ExecutionMode m) { return entry.has_mode(static_cast<std::uint32_t>(m)); };
  return entry.stage == isa::ShaderStage::Fragment || mode(spv::ExecutionMode::DerivativeGroupQuadsNV) ||
         mode(spv::ExecutionMode::DerivativeGroupLinearNV);
}

}  // namespace heddle::spirv::compiler
