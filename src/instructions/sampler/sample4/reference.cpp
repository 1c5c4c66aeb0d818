// 3D_SAMPLE4 (GA-1 to GA-13): the texture unit's operation that the sub-op names.
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::sample4 {
namespace {

void execute(machine::ExecutionContext& s) { run_sampler_message(s, texture::OpFamily::Gather4); }

constexpr ReferenceHook kHooks[] = {{"sample4", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sample4
