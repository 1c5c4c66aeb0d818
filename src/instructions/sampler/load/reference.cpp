// SPDX-License-Identifier: MIT
// 3D_LOAD (LD-1 to LD-10): the texture unit's operation that the sub-op names.
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::load {
namespace {

void execute(machine::ExecutionContext& s) { run_sampler_message(s); }

constexpr ReferenceHook kHooks[] = {{"load", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::load
