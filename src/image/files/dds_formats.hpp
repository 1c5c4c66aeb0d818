// SPDX-License-Identifier: MIT
#pragma once
// What the texels of a DDS file are: DXGI_FORMAT, FourCC codes, D3DFORMAT numbers, masks.

#include <cstdint>
#include <optional>
#include <string>

#include "image/files/packed_format.hpp"

namespace heddle::image::dds {

/// The pixel format's flags (DDPF_*).
enum PixelFlags : std::uint32_t {
  kAlphaPixels = 0x1,
  kAlphaOnly = 0x2,
  kFourCcFlag = 0x4,
  kPalette = 0x20,
  kRgb = 0x40,
  kLuminance = 0x20000,
  kBumpLuminance = 0x40000,
  kBump = 0x80000
};

struct Masks {
  std::uint32_t bits = 0, red = 0, green = 0, blue = 0, alpha = 0;
  bool operator==(const Masks&) const = default;
};

enum class TexelKind : std::uint8_t { Plain, Indices, Rxgb };

/// How the texels are read: as they are, or moved into a surface format with the same values, or the nearest ones.
struct TexelFormat {
  Format format{};
  std::optional<PackedFormat> packed;
  bool typeless = false;  ///< the file leaves open what its bits mean
  TexelKind kind = TexelKind::Plain;
  std::string_view note{};  ///< what a reader of the texels should know
};

inline constexpr std::uint32_t kFourCcDx10 = 0x30315844;

[[nodiscard]] std::optional<TexelFormat> find_dxgi_format(std::uint32_t number);
/// A FourCC code, or a D3DFORMAT number in its place.
[[nodiscard]] std::optional<TexelFormat> find_four_cc(std::uint32_t code);
[[nodiscard]] std::optional<TexelFormat> find_masks(std::uint32_t flags, Masks masks);

/// "FourCC 'ABCD'", "D3DFORMAT 41".
[[nodiscard]] std::string four_cc_text(std::uint32_t code);

}  // namespace heddle::image::dds
