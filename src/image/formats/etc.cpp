// SPDX-License-Identifier: MIT
// ETC1, ETC2 and EAC by the Khronos Data Format Specification 1.3 (NUM-27). ETC1 blocks are ETC2 blocks without the
// overflow modes.

#include <algorithm>

#include "image/formats/codecs.hpp"

namespace heddle::image {
namespace {

constexpr int kModifiers[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
constexpr int kDistances[8] = {3, 6, 11, 16, 23, 32, 41, 64};
/// The four negative modifiers of each EAC table; the positive ones are -1 - m.
constexpr std::int8_t kEacModifiers[16][4] = {
    {-3, -6, -9, -15}, {-3, -7, -10, -13}, {-2, -5, -8, -13}, {-2, -4, -6, -13}, {-3, -6, -8, -12}, {-3, -7, -9, -11},
    {-4, -7, -8, -11}, {-3, -5, -8, -11},  {-2, -6, -8, -10}, {-2, -5, -8, -10}, {-2, -4, -8, -10}, {-2, -5, -7, -10},
    {-3, -4, -7, -10}, {-1, -2, -3, -10},  {-4, -6, -8, -9},  {-3, -5, -7, -9}};

using Rgb = std::array<int, 3>;

std::uint64_t load_big(const std::uint8_t* from) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | from[i];
  return value;
}

int field(std::uint64_t word, unsigned high, unsigned low) {
  return static_cast<int>(word >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
}
int extend4(int v) { return v << 4 | v; }
int extend5(int v) { return v << 3 | v >> 2; }
int extend6(int v) { return v << 2 | v >> 4; }
int extend7(int v) { return v << 1 | v >> 6; }
std::uint8_t clamp255(int v) { return static_cast<std::uint8_t>(std::clamp(v, 0, 255)); }

std::array<std::uint8_t, 4> opaque(const Rgb& base, int add) {
  return {clamp255(base[0] + add), clamp255(base[1] + add), clamp255(base[2] + add), 255};
}

/// Pixel index of texel (x, y): columns first, high bits 16 above the low ones.
int pixel_index(std::uint64_t word, unsigned x, unsigned y) {
  const unsigned n = 4 * x + y;
  return static_cast<int>((word >> (n + 16) & 1) << 1 | (word >> n & 1));
}

/// The colors of the four indices.
using Palette = std::array<std::array<std::uint8_t, 4>, 4>;

Palette paint_t(std::uint64_t w) {
  const Rgb first{extend4(field(w, 60, 59) << 2 | field(w, 57, 56)), extend4(field(w, 55, 52)),
                  extend4(field(w, 51, 48))};
  const Rgb second{extend4(field(w, 47, 44)), extend4(field(w, 43, 40)), extend4(field(w, 39, 36))};
  const int distance = kDistances[field(w, 35, 34) << 1 | field(w, 32, 32)];
  return {opaque(first, 0), opaque(second, distance), opaque(second, 0), opaque(second, -distance)};
}

Palette paint_h(std::uint64_t w) {
  const Rgb a{field(w, 62, 59), field(w, 58, 56) << 1 | field(w, 52, 52), field(w, 51, 51) << 3 | field(w, 49, 47)};
  const Rgb b{field(w, 46, 43), field(w, 42, 39), field(w, 38, 35)};
  const int order = (a[0] << 8 | a[1] << 4 | a[2]) >= (b[0] << 8 | b[1] << 4 | b[2]) ? 1 : 0;
  const int distance = kDistances[field(w, 34, 34) << 2 | field(w, 32, 32) << 1 | order];
  const Rgb first{extend4(a[0]), extend4(a[1]), extend4(a[2])}, second{extend4(b[0]), extend4(b[1]), extend4(b[2])};
  return {opaque(first, distance), opaque(first, -distance), opaque(second, distance), opaque(second, -distance)};
}

std::array<std::uint8_t, 4> paint_planar(std::uint64_t w, unsigned x, unsigned y) {
  const Rgb origin{extend6(field(w, 62, 57)), extend7(field(w, 56, 56) << 6 | field(w, 54, 49)),
                   extend6(field(w, 48, 48) << 5 | field(w, 44, 43) << 3 | field(w, 41, 39))};
  const Rgb across{extend6(field(w, 38, 34) << 1 | field(w, 32, 32)), extend7(field(w, 31, 25)),
                   extend6(field(w, 24, 19))};
  const Rgb down{extend6(field(w, 18, 13)), extend7(field(w, 12, 6)), extend6(field(w, 5, 0))};
  std::array<std::uint8_t, 4> rgba{0, 0, 0, 255};
  for (std::size_t i = 0; i < 3; ++i)
    rgba[i] = clamp255((static_cast<int>(x) * (across[i] - origin[i]) + static_cast<int>(y) * (down[i] - origin[i]) +
                        4 * origin[i] + 2) >>
                       2);
  return rgba;
}

/// What the colors of a block are. Texels are taken from it.
class RgbBlock {
 public:
  RgbBlock(const std::uint8_t* block, bool punch_through) : word_(load_big(block)) {
    const std::uint64_t w = word_;
    const bool d = field(w, 33, 33) != 0;
    const bool transparent = punch_through && !d;  // the bit says opaque there
    across_ = field(w, 32, 32) == 0;
    Rgb bases[2];
    if (!d && !punch_through) {
      for (unsigned i = 0; i < 3; ++i) {
        const unsigned high = 63 - 8 * i;
        bases[0][i] = extend4(field(w, high, high - 3));
        bases[1][i] = extend4(field(w, high - 4, high - 7));
      }
    } else {
      Rgb sum{};
      for (unsigned i = 0; i < 3; ++i) {
        const unsigned high = 63 - 8 * i;
        const int delta = field(w, high - 5, high - 7), first = field(w, high, high - 4);
        sum[i] = first + (delta >= 4 ? delta - 8 : delta);
        bases[0][i] = extend5(first);
        bases[1][i] = extend5(sum[i]);
      }
      const auto overflows = [](int v) { return v < 0 || v > 31; };
      if (overflows(sum[0]) || overflows(sum[1])) {
        palettes_[0] = overflows(sum[0]) ? paint_t(w) : paint_h(w);
        if (transparent) palettes_[0][2] = {};
        palettes_[1] = palettes_[0];
        return;
      }
      planar_ = overflows(sum[2]);
      if (planar_) return;
    }
    for (std::size_t half = 0; half < 2; ++half) {
      const int* modifiers = kModifiers[half != 0 ? field(w, 36, 34) : field(w, 39, 37)];
      palettes_[half] = {opaque(bases[half], transparent ? 0 : modifiers[0]), opaque(bases[half], modifiers[1]),
                         opaque(bases[half], -modifiers[0]), opaque(bases[half], -modifiers[1])};
      if (transparent) palettes_[half][2] = {};
    }
  }

  [[nodiscard]] std::array<std::uint8_t, 4> texel(unsigned x, unsigned y) const {
    if (planar_) return paint_planar(word_, x, y);
    return palettes_[(across_ ? x : y) >> 1][static_cast<std::size_t>(pixel_index(word_, x, y))];
  }

 private:
  std::uint64_t word_;
  bool across_ = false, planar_ = false;  // across: the halves are left and right
  std::array<Palette, 2> palettes_{};
};

/// The place of texel (x, y) in the eight values of an EAC half block.
unsigned eac_index(std::uint64_t w, unsigned x, unsigned y) {
  return static_cast<unsigned>(w >> (45 - 3 * (4 * x + y)) & 7);
}

int eac_modifier(std::uint64_t w, unsigned index) {
  const std::int8_t* table = kEacModifiers[field(w, 51, 48)];
  return index < 4 ? table[index] : -1 - table[index - 4];
}

std::uint8_t eac_alpha(std::uint64_t w, unsigned index) {
  return clamp255(field(w, 63, 56) + eac_modifier(w, index) * field(w, 55, 52));
}

float eac_value(std::uint64_t w, unsigned index, bool is_signed) {
  const int multiplier = field(w, 55, 52);
  const int step = multiplier == 0 ? eac_modifier(w, index) : eac_modifier(w, index) * multiplier * 8;
  if (!is_signed) return static_cast<float>(std::clamp(field(w, 63, 56) * 8 + 4 + step, 0, 2047)) / 2047.0f;
  const int base = std::max<int>(static_cast<std::int8_t>(w >> 56), -127);
  return static_cast<float>(std::clamp(base * 8 + step, -1023, 1023)) / 1023.0f;
}

/// Where the parts of an ETC block are.
struct Parts {
  explicit Parts(const FormatInfo& format)
      : has_alpha_block(format.bits_per_element == 128), punch_through(!has_alpha_block && format.has_channel('A')) {}
  [[nodiscard]] const std::uint8_t* colors(const std::uint8_t* block) const {
    return has_alpha_block ? block + 8 : block;
  }
  bool has_alpha_block, punch_through;
};

}  // namespace

Texel decode_etc(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb) {
  const Parts parts(format);
  auto rgba = RgbBlock(parts.colors(block), parts.punch_through).texel(x, y);
  const std::uint64_t w = load_big(block);
  if (parts.has_alpha_block) rgba[3] = eac_alpha(w, eac_index(w, x, y));
  return texel_from_bytes(rgba, srgb);
}

void decode_etc_block(const FormatInfo& format, const std::uint8_t* block, std::uint8_t* to, std::size_t pitch) {
  const Parts parts(format);
  const RgbBlock colors(parts.colors(block), parts.punch_through);
  const std::uint64_t w = load_big(block);
  std::array<std::uint8_t, 8> alphas{};
  for (unsigned index = 0; parts.has_alpha_block && index < 8; ++index) alphas[index] = eac_alpha(w, index);
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      auto rgba = colors.texel(x, y);
      if (parts.has_alpha_block) rgba[3] = alphas[eac_index(w, x, y)];
      std::copy(rgba.begin(), rgba.end(), to + y * pitch + 4 * x);
    }
}

Texel decode_eac(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y) {
  const bool is_signed = format.channels[0].type == ChannelType::Snorm;
  Texel texel = default_texel(ValueClass::Float);
  for (int i = 0; i < (format.bits_per_element == 128 ? 2 : 1); ++i) {
    const std::uint64_t w = load_big(block + 8 * i);
    texel.set(i, eac_value(w, eac_index(w, x, y), is_signed));
  }
  return texel;
}

void decode_eac_block(const FormatInfo& format, const std::uint8_t* block, std::uint32_t* to, std::size_t pitch) {
  const bool is_signed = format.channels[0].type == ChannelType::Snorm;
  std::array<Texel, 16> texels;
  texels.fill(default_texel(ValueClass::Float));
  for (int c = 0; c < (format.bits_per_element == 128 ? 2 : 1); ++c) {
    const std::uint64_t w = load_big(block + 8 * c);
    std::array<float, 8> values{};
    for (unsigned index = 0; index < 8; ++index) values[index] = eac_value(w, index, is_signed);
    for (unsigned i = 0; i < 16; ++i) texels[i].set(c, values[eac_index(w, i % 4, i / 4)]);
  }
  store_texels(texels, to, pitch);
}

}  // namespace heddle::image
