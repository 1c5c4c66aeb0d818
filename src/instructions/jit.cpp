// SPDX-License-Identifier: MIT
#include "instructions/jit.hpp"

#include "instructions/registry.hpp"

namespace heddle::instructions {

const isa::HookTable<machine::jit::Emitter>& emitters() {
  static const isa::HookTable<machine::jit::Emitter> kTable = [] {
    const isa::FamilyHooks<machine::jit::Emitter> hooks[] = {
#define HEDDLE_LIST_HOOKS(name, has_check, has_reference, has_jit) HEDDLE_IF_##has_jit({#name, name::jit()}, )
        HEDDLE_FAMILIES(HEDDLE_LIST_HOOKS)
#undef HEDDLE_LIST_HOOKS
    };
    return isa::HookTable<machine::jit::Emitter>(registry(), hooks);
  }();
  return kTable;
}

machine::jit::Emitter jit_of(const isa::InstructionDescription& description) { return emitters()[description]; }

}  // namespace heddle::instructions
