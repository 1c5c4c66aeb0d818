// SPDX-License-Identifier: MIT
// 3D_LOAD: the rules of all sampler messages, the channel mask.
#include "instructions/checks.hpp"

namespace heddle::instructions::load {
namespace {

void check(Check& check) {
  const isa::Operand* mask = check.operand("mask");
  check_sampler_message(check, mask != nullptr ? channels_of(mask->value) : 4);
  // visa-sampler-channel-mask
  if (mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-sampler-channel-mask", mask, "no channel is returned");
}

constexpr CheckHook kHooks[] = {{"load", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::load
