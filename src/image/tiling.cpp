// SPDX-License-Identifier: MIT
#include "image/tiling.hpp"

#include <array>
#include <bit>

namespace heddle::image::hardware {
namespace {

/// A row of HW-39: the source of each address bit, as the documents print it, and the size of the tile.
struct Swizzle {
  enum class From : std::uint8_t { U, V, R, S };
  struct Bit {
    From from = From::U;
    std::uint8_t bit = 0;
  };
  TileShape shape;
  std::array<Bit, 16> bits{};  ///< least significant first
  std::uint8_t count = 0;
};

/// `text`: bits, most significant first, "v2 v1 u8 ...".
consteval Swizzle swizzle(std::string_view text) {
  Swizzle result;
  for (char c : text)
    result.count = static_cast<std::uint8_t>(result.count + (c == 'u' || c == 'v' || c == 'r' || c == 's'));
  std::uint8_t index = result.count;
  std::size_t at = 0;
  while (at < text.size()) {
    Swizzle::Bit bit;
    std::uint32_t* side = nullptr;
    switch (text[at++]) {
      case 'u':
        bit.from = Swizzle::From::U, side = &result.shape.column_bits;
        break;
      case 'v':
        bit.from = Swizzle::From::V, side = &result.shape.row_bits;
        break;
      case 'r':
        bit.from = Swizzle::From::R, side = &result.shape.slice_bits;
        break;
      case 's':
        bit.from = Swizzle::From::S;
        break;
      default:
        continue;
    }
    while (at < text.size() && text[at] >= '0' && text[at] <= '9')
      bit.bit = static_cast<std::uint8_t>(bit.bit * 10 + (text[at++] - '0'));
    result.bits[--index] = bit;
    if (side != nullptr) ++*side;
  }
  result.shape.bytes = 1u << result.count;
  return result;
}

constexpr Swizzle kX = swizzle("v2 v1 v0 u8 u7 u6 u5 u4 u3 u2 u1 u0");
constexpr Swizzle kY = swizzle("u6 u5 u4 v4 v3 v2 v1 v0 u3 u2 u1 u0");
constexpr Swizzle kW = swizzle("u5 u4 u3 v5 v4 v3 v2 u2 v1 u1 v0 u0");
constexpr Swizzle kTile4 = swizzle("v4 v3 u6 v2 u5 u4 v1 v0 u3 u2 u1 u0");
// By element size: 1 byte, 2 and 4 bytes, 8 and 16 bytes.
constexpr std::array kTile64{swizzle("v7 v6 v5 u7 v4 v3 u6 v2 u5 u4 v1 v0 u3 u2 u1 u0"),
                             swizzle("v6 v5 u8 u7 v4 v3 u6 v2 u5 u4 v1 v0 u3 u2 u1 u0"),
                             swizzle("v5 u9 u8 u7 v4 v3 u6 v2 u5 u4 v1 v0 u3 u2 u1 u0")};
constexpr std::array kTile64Samples2{swizzle("v7 v6 v5 u6 v4 v3 u5 v2 s0 u4 v1 v0 u3 u2 u1 u0"),
                                     swizzle("v6 v5 u7 u6 v4 v3 u5 v2 s0 u4 v1 v0 u3 u2 u1 u0"),
                                     swizzle("v5 u8 u7 u6 v4 v3 u5 v2 s0 u4 v1 v0 u3 u2 u1 u0")};
constexpr std::array kTile64Samples4{swizzle("v6 v5 v4 u6 v3 v2 u5 s1 s0 u4 v1 v0 u3 u2 u1 u0"),
                                     swizzle("v5 v4 u7 u6 v3 v2 u5 s1 s0 u4 v1 v0 u3 u2 u1 u0"),
                                     swizzle("v4 u8 u7 u6 v3 v2 u5 s1 s0 u4 v1 v0 u3 u2 u1 u0")};
constexpr std::array kYs{swizzle("u7 v7 u6 v6 u5 v5 u4 v4 v3 v2 v1 v0 u3 u2 u1 u0"),
                         swizzle("u8 v6 u7 v5 u6 v4 u5 v3 u4 v2 v1 v0 u3 u2 u1 u0"),
                         swizzle("u9 v5 u8 v4 u7 v3 u6 v2 u5 u4 v1 v0 u3 u2 u1 u0")};
constexpr std::array kYf{swizzle("u5 v5 u4 v4 v3 v2 v1 v0 u3 u2 u1 u0"), swizzle("u6 v4 u5 v3 u4 v2 v1 v0 u3 u2 u1 u0"),
                         swizzle("u7 v3 u6 v2 u5 u4 v1 v0 u3 u2 u1 u0")};
// By element size: 1, 2, 4, 8 and 16 bytes.
constexpr std::array kTile64Volume{swizzle("r4 r3 r2 u5 v4 v3 r1 v2 r0 u4 v1 v0 u3 u2 u1 u0"),
                                   swizzle("r4 r3 r2 v4 v3 u5 r1 v2 r0 u4 v1 v0 u3 u2 u1 u0"),
                                   swizzle("r3 r2 v4 u6 v3 u5 r1 v2 r0 u4 v1 v0 u3 u2 u1 u0"),
                                   swizzle("r3 r2 v3 u7 u6 u5 r1 v2 r0 u4 v1 v0 u3 u2 u1 u0")};

/// nullptr: linear.
const Swizzle* find_swizzle(TileMode mode, std::uint32_t bytes, std::uint32_t samples, bool three_dimensional) {
  const unsigned size = bytes <= 1 ? 0 : bytes <= 4 ? 1 : 2;
  switch (mode) {
    case TileMode::Linear:
      return nullptr;
    case TileMode::X:
      return &kX;
    case TileMode::Y:
      return &kY;
    case TileMode::W:
      return &kW;
    case TileMode::Tile4:
      return &kTile4;
    case TileMode::Tile64:
      if (three_dimensional) return &kTile64Volume[bytes <= 1 ? 0u : bytes <= 2 ? 1u : bytes <= 4 ? 2u : 3u];
      return samples <= 1 ? &kTile64[size] : samples == 2 ? &kTile64Samples2[size] : &kTile64Samples4[size];
    case TileMode::Yf:
      return &kYf[size];
    case TileMode::Ys:
      return &kYs[size];
  }
  return nullptr;
}

}  // namespace

TileShape tile_shape(TileMode mode, std::uint32_t bytes_per_element, std::uint32_t samples, bool three_dimensional) {
  const Swizzle* found = find_swizzle(mode, bytes_per_element, samples, three_dimensional);
  return found != nullptr ? found->shape : TileShape{};
}

bool tileable(TileMode mode, std::uint32_t bytes_per_element) {
  switch (mode) {
    case TileMode::W:
      return bytes_per_element == 1;
    case TileMode::Tile64:
    case TileMode::Yf:
    case TileMode::Ys:
      return std::has_single_bit(bytes_per_element) && bytes_per_element <= 16;  // HW-42
    default:
      return bytes_per_element >= 1 && bytes_per_element <= 16;
  }
}

std::uint64_t tile_offset(const TileAddress& address) {
  // HW-30 MSS: samples are slices, except those that Tile64 mixes into its tiles; HW-41, C63: planes of four samples
  // are slices.
  const bool mixes = address.mode == TileMode::Tile64 && !address.three_dimensional;
  std::uint64_t slice = address.r;
  if (address.samples > 1) {
    if (!mixes)
      slice = slice * address.samples + address.sample;
    else if (address.samples > 4)
      slice = slice * (address.samples / 4) + address.sample / 4;
  }
  const Swizzle* tile =
      find_swizzle(address.mode, address.bytes_per_element, address.samples, address.three_dimensional);
  const bool volume = mixes ? false : address.mode == TileMode::Tile64;
  const std::uint64_t v = volume ? address.v : address.v + slice * address.qpitch;
  if (tile == nullptr) return v * address.pitch + address.u;
  const TileShape& shape = tile->shape;
  std::uint64_t tile_row = v >> shape.row_bits;
  if (volume) tile_row += (slice >> shape.slice_bits) * (address.qpitch >> shape.row_bits);  // HW-40
  std::uint64_t offset =
      (tile_row * (address.pitch >> shape.column_bits) + (address.u >> shape.column_bits)) * shape.bytes;
  const std::array<std::uint64_t, 4> sources{address.u, v, slice, address.sample & 3u};
  for (unsigned k = 0; k < tile->count; ++k) {
    const Swizzle::Bit& bit = tile->bits[k];
    offset += ((sources[static_cast<unsigned>(bit.from)] >> bit.bit) & 1) << k;
  }
  return offset;
}

namespace {
constexpr std::array<std::string_view, 8> kNames{"linear", "x", "y", "w", "tile4", "tile64", "yf", "ys"};
}

std::string_view tile_mode_name(TileMode mode) { return kNames[static_cast<unsigned>(mode) & 7]; }

std::optional<TileMode> find_tile_mode(std::string_view name) {
  for (unsigned i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<TileMode>(i);
  return std::nullopt;
}

}  // namespace heddle::image::hardware
