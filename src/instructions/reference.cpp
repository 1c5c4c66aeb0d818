#include "instructions/reference.hpp"

#include <vector>

#include "instructions/registry.hpp"

namespace heddle::instructions {

machine::Execute reference_of(const isa::InstructionDescription& description) {
  static const isa::HookTable<machine::Execute> kTable(registry(), [] {
    static const std::vector<ReferenceHook> kHooks = [] {
      std::vector<ReferenceHook> hooks;
#define HEDDLE_ADD_HOOKS(name) \
  for (const ReferenceHook& hook : name::reference()) hooks.push_back(hook);
      HEDDLE_REFERENCE_ROOMS(HEDDLE_ADD_HOOKS)
#undef HEDDLE_ADD_HOOKS
      return hooks;
    }();
    return std::span<const ReferenceHook>(kHooks);
  }());
  return kTable[description];
}

void does_nothing(machine::ExecutionContext&) {}

}  // namespace heddle::instructions
