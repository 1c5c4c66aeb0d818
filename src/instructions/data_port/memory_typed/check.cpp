// gather4_typed, scatter4_typed, typed_atomic: visa-typed-surface.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::memory_typed {

void check(Check& check) {
  check_memory_surface(check);
  const isa::Operand* surface = check.operand("surface");
  if (Check::is_surface(surface, kSlm) || Check::is_surface(surface, kScratch))
    check.error("visa-typed-surface", surface,
                fmt::format("{} goes to {}, which is untyped", check.description().mnemonic, check.text(*surface)));
  if (check.exec_size() == 16)
    check.error("visa-typed-surface", nullptr,
                fmt::format("{} of 16 channels came with XeHP_SDV", check.description().mnemonic),
                isa::PlatformSet::before(isa::Platform::XeHP_SDV));
  else if (check.exec_size() != 8)
    check.error("visa-typed-surface", nullptr,
                fmt::format("{} with execution size {}", check.description().mnemonic, check.exec_size()));
  if (const isa::Operand* u = check.operand("u"); u != nullptr && u->is_null())
    check.error("visa-typed-surface", u, "the u coordinate is %null");
  if (const isa::Operand* mask = check.operand("mask"); mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-gather-size", mask, "no channel is moved");
}

}  // namespace heddle::instructions::memory_typed
