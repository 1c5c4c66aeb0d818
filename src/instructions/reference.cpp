// SPDX-License-Identifier: MIT
#include "instructions/reference.hpp"

#include "instructions/registry.hpp"

namespace heddle::instructions {

const isa::HookTable<machine::Execute>& reference_functions() {
  static const isa::HookTable<machine::Execute> kTable = [] {
    const isa::FamilyHooks<machine::Execute> hooks[] = {
#define HEDDLE_LIST_HOOKS(name, has_check, has_reference, has_jit) \
  HEDDLE_IF_##has_reference({#name, name::reference()}, )
        HEDDLE_FAMILIES(HEDDLE_LIST_HOOKS)
#undef HEDDLE_LIST_HOOKS
    };
    return isa::HookTable<machine::Execute>(registry(), hooks);
  }();
  return kTable;
}

machine::Execute reference_of(const isa::InstructionDescription& description) {
  return reference_functions()[description];
}

void does_nothing(machine::ExecutionContext&) {}

}  // namespace heddle::instructions
