// 3D_SAMPLE (image-unit.md section 9): the image unit's operation that the sub-op names.
#include "instructions/image.hpp"
#include "instructions/reference.hpp"

namespace heddle::instructions::sample {
namespace {

void execute(machine::Step& s) { run_sampler_message(s, unit::OpFamily::Sample); }

constexpr ReferenceHook kHooks[] = {{"sample", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sample
