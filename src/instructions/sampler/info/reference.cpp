// SPDX-License-Identifier: MIT
// INFO: resinfo and sampleinfo (RES, SIN).
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::info {
namespace {

constexpr ReferenceHook kHooks[] = {{"info", run_sampler_message}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::info
