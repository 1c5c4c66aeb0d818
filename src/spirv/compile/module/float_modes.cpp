// SPDX-License-Identifier: MIT
// Rules: SPV-40.
#include "spirv/compile/module/float_modes.hpp"

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv::compiler {
namespace {

std::uint32_t* widths_of(FloatModes& modes, std::uint32_t mode) {
  switch (static_cast<spv::ExecutionMode>(mode)) {
    case spv::ExecutionMode::DenormPreserve:
      return &modes.preserve;
    case spv::ExecutionMode::DenormFlushToZero:
      return &modes.flush;
    case spv::ExecutionMode::RoundingModeRTE:
      return &modes.to_even;
    case spv::ExecutionMode::RoundingModeRTZ:
      return &modes.to_zero;
    default:
      return nullptr;
  }
}

}  // namespace

FloatModes read_float_modes(const Module& module, std::uint32_t function, Report& report) {
  FloatModes modes;
  for (const Instruction& i : module.instructions) {
    const auto op = static_cast<spv::Op>(i.opcode);
    if (op == spv::Op::OpFunction) break;
    if (op == spv::Op::OpTypeFloat && !i.operands.empty() && i.operands[0] == 16) modes.has_half = true;
    if (op != spv::Op::OpExecutionMode || i.operands.size() < 3 || i.operands[0] != function) continue;
    std::uint32_t* const widths = widths_of(modes, i.operands[1]);
    if (widths == nullptr) continue;
    const std::uint32_t width = i.operands[2];
    if (width != 16 && width != 32 && width != 64) {
      report.refuse(i, fmt::format("floating-point numbers have 16, 32 or 64 bits, not {}", width));
      continue;
    }
    *widths |= width;
    if ((modes.preserve & modes.flush & width) != 0)
      report.refuse(i, fmt::format("subnormal numbers of {} bits are both preserved and flushed", width));
    if ((modes.to_even & modes.to_zero & width) != 0)
      report.refuse(i, fmt::format("numbers of {} bits are rounded both to the "
                                   "nearest even number and to zero",
                                   width));
  }
  return modes;
}

}  // namespace heddle::spirv::compiler
