// The legacy sample and load messages and AVS read images.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::media {

void check(Check& check) {
  const std::string_view word = check.description().mnemonic;
  const isa::Operand* surface = check.operand("surface");
  if (word == "sample" || word == "load" || word == "avs") {
    check_image_surface(check);
    // visa-sampler-channel-mask
    if (const isa::Operand* mask = check.operand("mask"); mask != nullptr && (mask->value & 15u) == 0)
      check.error("visa-sampler-channel-mask", mask, "no channel is returned");
  } else if (Check::is_surface(surface, kSlm)) {
    check.error("visa-surface-special", surface, fmt::format("{} reads %slm, which is no image", word));
  }
  // visa-raw-bounds: the legacy messages return four channels of 8 or 16 elements
  const isa::Operand* simd16 = check.operand("simd16");
  const isa::Operand* dst = check.operand("dst");
  const isa::Operand* mask = check.operand("mask");
  if (simd16 == nullptr || dst == nullptr || mask == nullptr) return;
  const unsigned lanes = simd16->value != 0 ? 16 : 8;
  check.raw_bytes(*dst, check.channel_bytes(channels_of(mask->value), lanes, 4));
  for (const std::string_view name : {"u", "v", "r"})
    if (const isa::Operand* coordinate = check.operand(name)) check.raw_bytes(*coordinate, lanes * 4ull);
}

}  // namespace heddle::instructions::media
