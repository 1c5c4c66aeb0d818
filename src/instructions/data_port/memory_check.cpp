// SPDX-License-Identifier: MIT
#include "instructions/data_port/memory_check.hpp"

#include <fmt/format.h>

namespace heddle::instructions {

void check_memory_surface(Check& check) {
  const isa::Operand* surface = check.operand("surface");
  if (surface == nullptr || surface->kind != isa::OperandKind::Surface) return;
  if (surface->id == kT1 || surface->id == kT2 || surface->id == kTss)
    check.warning(
        "visa-surface-special", surface,
        fmt::format("{} uses {}, a leftover of the stack model", check.description().mnemonic, check.text(*surface)));
}

void check_moved_channels(Check& check) {
  if (const isa::Operand* mask = check.operand("mask"); mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-gather-size", mask, "no channel is moved");
}

void check_typed_message(Check& check) {
  check_memory_surface(check);
  const isa::Operand* surface = check.operand("surface");
  if (Check::is_surface(surface, kSlm) || Check::is_surface(surface, kScratch))
    check.error("visa-typed-surface", surface,
                fmt::format("{} goes to {}, which is untyped", check.description().mnemonic, check.text(*surface)));
  if (check.exec_size() == 16)
    check.error("visa-typed-surface", nullptr,
                fmt::format("{} of 16 channels came with XeHP_SDV", check.description().mnemonic),
                isa::PlatformSet::before(isa::Platform::XeHP_SDV));
  if (const isa::Operand* u = check.operand("u"); u != nullptr && u->is_null())
    check.error("visa-typed-surface", u, "the u coordinate is %null");
}

void check_svm_execution(Check& check) {
  if (check.description().has_exec && check.exec_size() == 32)
    check.error("visa-svm-exec", nullptr, fmt::format("{} with execution size 32", check.description().mnemonic));
}

}  // namespace heddle::instructions
