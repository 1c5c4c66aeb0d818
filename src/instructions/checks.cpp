// SPDX-License-Identifier: MIT
#include "instructions/checks.hpp"

#include <fmt/format.h>

#include "instructions/registry.hpp"

namespace heddle::instructions {

const isa::HookTable<CheckFunction>& own_checks() {
  static const isa::HookTable<CheckFunction> kTable = [] {
    const isa::FamilyHooks<CheckFunction> hooks[] = {
#define HEDDLE_LIST_HOOKS(name, has_check, has_reference, has_jit) HEDDLE_IF_##has_check({#name, name::checks()}, )
        HEDDLE_FAMILIES(HEDDLE_LIST_HOOKS)
#undef HEDDLE_LIST_HOOKS
    };
    return isa::HookTable<CheckFunction>(registry(), hooks);
  }();
  return kTable;
}

CheckFunction check_of(const isa::InstructionDescription& description) { return own_checks()[description]; }

unsigned channels_of(std::uint64_t mask) { return static_cast<unsigned>(__builtin_popcountll(mask & 15u)); }

isa::PlatformSet platforms_with_simd32() {
  isa::PlatformSet set;
  for (const isa::PlatformInfo& p : isa::all_platforms())
    if (p.max_simd >= 32) set = set | isa::PlatformSet::only(p.platform);
  return set;
}

void check_wide_message(Check& check) {
  if (check.exec_size() == 32)
    check.warning("visa-exec-size", nullptr,
                  fmt::format("{} has execution size 32, which came with XE2", check.description().mnemonic),
                  isa::PlatformSet::before(isa::Platform::XE2));
}

void check_image_surface(Check& check) {
  const isa::Operand* surface = check.operand("surface");
  if (surface == nullptr || surface->kind != isa::OperandKind::Surface) return;
  const bool sampler_message = !check.description().traits.target_write;
  if (surface->id == kSlm && sampler_message)
    check.error("visa-sampler-surface", surface,
                fmt::format("{} reads %slm, which is no image", check.description().mnemonic));
  else if (surface->id == kSlm || surface->id == kT1 || surface->id == kT2 || surface->id == kTss ||
           surface->id == kScratch)
    check.error("visa-surface-special", surface,
                fmt::format("{} uses {}, which is no image", check.description().mnemonic, check.text(*surface)));
}

}  // namespace heddle::instructions
