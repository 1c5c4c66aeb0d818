// 3D_SAMPLE4 (image-unit.md section 11): the texture unit's operation that the sub-op names.
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::sample4 {
namespace {

void execute(machine::ExecutionContext& s) { run_sampler_message(s, texture::OpFamily::Gather4); }

constexpr ReferenceHook kHooks[] = {{"sample4", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sample4
