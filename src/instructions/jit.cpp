#include "instructions/jit.hpp"

#include <vector>

#include "instructions/registry.hpp"

namespace heddle::instructions {

machine::jit::Emitter jit_of(const isa::InstructionDescription& description) {
  static const isa::HookTable<machine::jit::Emitter> kTable(registry(), [] {
    static const std::vector<JitHook> kHooks = [] {
      std::vector<JitHook> hooks;
#define HEDDLE_ADD_HOOKS(name) \
  for (const JitHook& hook : name::jit()) hooks.push_back(hook);
      HEDDLE_JIT_ROOMS(HEDDLE_ADD_HOOKS)
#undef HEDDLE_ADD_HOOKS
      return hooks;
    }();
    return std::span<const JitHook>(kHooks);
  }());
  return kTable[description];
}

}  // namespace heddle::instructions
