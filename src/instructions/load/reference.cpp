// 3D_LOAD (image-unit.md section 10): the image unit's operation that the sub-op names.
#include "instructions/reference.hpp"
#include "instructions/image.hpp"

namespace heddle::instructions::load {
namespace {

/// The legacy message of the same name (opcode 42) has no public description of its result.
void execute(machine::Step& s) {
  if (s.instruction().form->has_exec)
    run_sampler_message(s, unit::OpFamily::Load);
  else
    s.refuse(nullptr, "run-instruction-missing", "the legacy load message is not executed");
}

constexpr ReferenceHook kHooks[] = {{"load", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::load
