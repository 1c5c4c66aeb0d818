// SPDX-License-Identifier: MIT
#include "image/files/dds_texels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "image/formats/codecs.hpp"

namespace heddle::image::dds {
namespace {

constexpr std::uint64_t kBc3Bytes = 16;

/// RXGB: BC3 whose alpha is red; it has no alpha. 8 bits hold the nearest of its values.
void put_rxgb(Surface& surface, std::uint32_t level, std::uint32_t slice, Bytes from) {
  const LevelLayout& at = surface.layout[level];
  const FormatInfo& bc3 = *format_info(Format::BC3_UNORM);
  std::uint8_t* first = surface.memory->data() + surface.base + at.offset + slice * at.slice_pitch;
  const auto byte = [](std::uint32_t bits) {
    return static_cast<std::uint8_t>(std::lround(std::bit_cast<float>(bits) * 255.0f));
  };
  const std::uint8_t* block = from.data();
  for (std::uint32_t y = 0; y < at.height; y += 4)
    for (std::uint32_t x = 0; x < at.width; x += 4, block += kBc3Bytes) {
      std::array<std::uint32_t, 64> words{};
      decode_bc1_to_3_block(bc3, block, false, words.data(), 16);
      for (std::uint32_t row = 0; row < std::min(4u, at.height - y); ++row)
        for (std::uint32_t column = 0; column < std::min(4u, at.width - x); ++column) {
          const std::uint32_t* texel = &words[16 * row + 4 * column];
          const std::uint8_t bytes[] = {byte(texel[3]), byte(texel[1]), byte(texel[2]), 255};
          std::memcpy(first + (std::uint64_t{y} + row) * at.row_pitch + 4 * (std::uint64_t{x} + column), bytes, 4);
        }
    }
}

void put_indices(const Palette& palette, Surface& surface, std::uint32_t level, std::uint32_t slice, Bytes from) {
  const LevelLayout& at = surface.layout[level];
  std::uint8_t* first = surface.memory->data() + surface.base + at.offset + slice * at.slice_pitch;
  for (std::uint32_t y = 0; y < at.height; ++y)
    for (std::uint32_t x = 0; x < at.width; ++x)
      std::memcpy(first + y * at.row_pitch + 4 * std::uint64_t{x}, palette[from[std::size_t{y} * at.width + x]].data(),
                  4);
}

}  // namespace

std::uint64_t file_slice_bytes(const TexelFormat& format, const Surface& surface, std::uint32_t level) {
  const LevelLayout& at = surface.layout[level];
  if (format.kind == TexelKind::Rxgb) return kBc3Bytes * ((at.width + 3) / 4) * ((at.height + 3) / 4);
  if (format.kind == TexelKind::Indices) return std::uint64_t{at.width} * at.height;
  return format.packed ? packed_slice_bytes(*format.packed, at) : slice_bytes(surface, level);
}

void put_file_slice(const TexelFormat& format, const Palette& palette, Surface& surface, std::uint32_t level,
                    std::uint32_t slice, Bytes from) {
  if (format.kind == TexelKind::Rxgb)
    put_rxgb(surface, level, slice, from);
  else if (format.kind == TexelKind::Indices)
    put_indices(palette, surface, level, slice, from);
  else if (format.packed)
    unpack_slice(*format.packed, from, surface, level, slice);
  else
    put_slice(surface, level, slice, from);
}

WholeLevels whole_levels(std::span<const std::uint64_t> level_bytes, std::uint32_t layers, std::uint64_t available) {
  std::uint64_t chain = 0, sum = 0;
  for (const std::uint64_t bytes : level_bytes) chain += bytes;
  WholeLevels whole{0, chain};
  for (std::size_t i = 0; i < level_bytes.size(); ++i) {
    sum += level_bytes[i];
    const auto levels = static_cast<std::uint32_t>(i + 1);
    if (layers > 1 && sum * layers == available) return {levels, sum};
    if (chain * (layers - 1) + sum <= available) whole.levels = levels;
  }
  return whole;
}

}  // namespace heddle::image::dds
