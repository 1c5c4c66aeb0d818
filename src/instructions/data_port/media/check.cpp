// SPDX-License-Identifier: MIT
// The legacy sample and load messages and AVS read images.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::media {
namespace {

void check_sampling(Check& check) {
  check_image_surface(check);
  // visa-sampler-channel-mask
  if (const isa::Operand* mask = check.operand("mask"); mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-sampler-channel-mask", mask, "no channel is returned");
}

void check_legacy_message(Check& check) {
  check_sampling(check);
  // visa-raw-bounds: up to four channels of 8 or 16 elements
  const isa::Operand *simd16 = check.operand("simd16"), *dst = check.operand("dst"), *mask = check.operand("mask");
  if (simd16 == nullptr || dst == nullptr || mask == nullptr) return;
  const unsigned lanes = simd16->value != 0 ? 16 : 8;
  check.raw_bytes(*dst, check.channel_bytes(channels_of(mask->value), lanes, 4));
  for (const std::string_view name : {"u", "v", "r"})
    if (const isa::Operand* coordinate = check.operand(name)) check.raw_bytes(*coordinate, lanes * 4ull);
}

void check_motion_estimation(Check& check) {
  const isa::Operand* surface = check.operand("surface");
  if (Check::is_surface(surface, kSlm))
    check.error("visa-surface-special", surface,
                fmt::format("{} reads %slm, which is no image", check.description().mnemonic));
}

constexpr CheckHook kHooks[] = {{"media", check_motion_estimation},
                                {"avs", check_sampling},
                                {"sample", check_legacy_message},
                                {"load", check_legacy_message}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::media
