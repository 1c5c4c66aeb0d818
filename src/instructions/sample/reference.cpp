// 3D_SAMPLE (image-unit.md section 9): the image unit's operation that the sub-op names.
#include "instructions/reference.hpp"
#include "instructions/image.hpp"

namespace heddle::instructions::sample {
namespace {

/// The legacy message of the same name (opcode 40) has no public description of its result.
void execute(machine::Step& s) {
  if (s.instruction().form->has_exec)
    run_sampler_message(s, unit::OpFamily::Sample);
  else
    s.refuse(nullptr, "run-instruction-missing", "the legacy sample message is not executed");
}

constexpr ReferenceHook kHooks[] = {{"sample", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sample
