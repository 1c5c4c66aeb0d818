// 3D_LOAD (image-unit.md section 10): the image unit's operation that the sub-op names.
#include "instructions/image.hpp"
#include "instructions/reference.hpp"

namespace heddle::instructions::load {
namespace {

void execute(machine::Step& s) { run_sampler_message(s, unit::OpFamily::Load); }

constexpr ReferenceHook kHooks[] = {{"load", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::load
