// SPDX-License-Identifier: MIT
// 3D_SAMPLE (SAM-1 to SAM-9): the texture unit's operation that the sub-op names.
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::sample {
namespace {

void execute(machine::ExecutionContext& s) { run_sampler_message(s); }

constexpr ReferenceHook kHooks[] = {{"sample", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sample
