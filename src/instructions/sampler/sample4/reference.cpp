// SPDX-License-Identifier: MIT
// 3D_SAMPLE4 (GA-1 to GA-13): the texture unit's operation that the sub-op names.
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::sample4 {
namespace {

constexpr ReferenceHook kHooks[] = {{"sample4", run_sampler_message}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sample4
