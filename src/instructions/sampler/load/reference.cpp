// 3D_LOAD (LD-1 to LD-9): the texture unit's operation that the sub-op names.
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::load {
namespace {

/// The hook reaches the legacy form of the same name, too.
void execute(machine::ExecutionContext& s) {
  if (s.instruction().description->has_exec)
    run_sampler_message(s, texture::OpFamily::Load);
  else
    run_legacy_message(s, texture::OpFamily::Load);
}

constexpr ReferenceHook kHooks[] = {{"load", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::load
