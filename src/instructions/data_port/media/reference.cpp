// SPDX-License-Identifier: MIT
// The legacy sample and load messages. The others are refused.
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::media {
namespace {

void sample(machine::ExecutionContext& s) { run_legacy_message(s, texture::OperationKind::Sample); }
void load(machine::ExecutionContext& s) { run_legacy_message(s, texture::OperationKind::Load); }

constexpr ReferenceHook kHooks[] = {{"sample", sample}, {"load", load}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::media
