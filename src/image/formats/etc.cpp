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

std::array<std::uint8_t, 4> paint_t(std::uint64_t w, int index) {
  const Rgb first{extend4(field(w, 60, 59) << 2 | field(w, 57, 56)), extend4(field(w, 55, 52)),
                  extend4(field(w, 51, 48))};
  const Rgb second{extend4(field(w, 47, 44)), extend4(field(w, 43, 40)), extend4(field(w, 39, 36))};
  const int distance = kDistances[field(w, 35, 34) << 1 | field(w, 32, 32)];
  switch (index) {
    case 0:
      return opaque(first, 0);
    case 1:
      return opaque(second, distance);
    case 2:
      return opaque(second, 0);
    default:
      return opaque(second, -distance);
  }
}

std::array<std::uint8_t, 4> paint_h(std::uint64_t w, int index) {
  const Rgb a{field(w, 62, 59), field(w, 58, 56) << 1 | field(w, 52, 52), field(w, 51, 51) << 3 | field(w, 49, 47)};
  const Rgb b{field(w, 46, 43), field(w, 42, 39), field(w, 38, 35)};
  const int order = (a[0] << 8 | a[1] << 4 | a[2]) >= (b[0] << 8 | b[1] << 4 | b[2]) ? 1 : 0;
  const int distance = kDistances[field(w, 34, 34) << 2 | field(w, 32, 32) << 1 | order];
  const Rgb& base = index < 2 ? a : b;
  return opaque({extend4(base[0]), extend4(base[1]), extend4(base[2])}, (index & 1) != 0 ? -distance : distance);
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

std::array<std::uint8_t, 4> decode_rgb(const std::uint8_t* block, unsigned x, unsigned y, bool punch_through) {
  const std::uint64_t w = load_big(block);
  const bool d = field(w, 33, 33) != 0;
  const bool transparent = punch_through && !d;  // the bit says opaque there
  const int index = pixel_index(w, x, y);
  Rgb base{};
  const bool second = field(w, 32, 32) != 0 ? y >= 2 : x >= 2;
  if (!d && !punch_through) {
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned high = 63 - 8 * i;
      base[i] = extend4(second ? field(w, high - 4, high - 7) : field(w, high, high - 3));
    }
  } else {
    std::array<int, 3> first{}, sum{};
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned high = 63 - 8 * i;
      const int delta = field(w, high - 5, high - 7);
      first[i] = field(w, high, high - 4);
      sum[i] = first[i] + (delta >= 4 ? delta - 8 : delta);
    }
    const auto overflows = [](int v) { return v < 0 || v > 31; };
    const bool t = overflows(sum[0]), h = !t && overflows(sum[1]);
    if (t || h) {
      if (transparent && index == 2) return {0, 0, 0, 0};
      return t ? paint_t(w, index) : paint_h(w, index);
    }
    if (overflows(sum[2])) return paint_planar(w, x, y);
    for (unsigned i = 0; i < 3; ++i) base[i] = extend5(second ? sum[i] : first[i]);
  }
  if (transparent && index == 2) return {0, 0, 0, 0};
  const int* modifiers = kModifiers[second ? field(w, 36, 34) : field(w, 39, 37)];
  int modifier = modifiers[index & 1];
  if (transparent && index == 0) modifier = 0;
  return opaque(base, index >= 2 ? -modifier : modifier);
}

int eac_modifier(std::uint64_t w, unsigned x, unsigned y) {
  const int index = static_cast<int>(w >> (45 - 3 * (4 * x + y)) & 7);
  const std::int8_t* table = kEacModifiers[field(w, 51, 48)];
  return index < 4 ? table[index] : -1 - table[index - 4];
}

}  // namespace

Texel decode_etc(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb) {
  const bool has_alpha_block = format.bits_per_element == 128;
  const bool punch_through = !has_alpha_block && format.has_channel('A');
  auto rgba = decode_rgb(has_alpha_block ? block + 8 : block, x, y, punch_through);
  if (has_alpha_block) {
    const std::uint64_t w = load_big(block);
    rgba[3] = clamp255(field(w, 63, 56) + eac_modifier(w, x, y) * field(w, 55, 52));
  }
  return texel_from_bytes(rgba, srgb);
}

Texel decode_eac(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y) {
  const bool is_signed = format.channels[0].type == ChannelType::Snorm;
  Texel texel = default_texel(ValueClass::Float);
  for (int i = 0; i < (format.bits_per_element == 128 ? 2 : 1); ++i) {
    const std::uint64_t w = load_big(block + 8 * i);
    const int multiplier = field(w, 55, 52);
    const int step = multiplier == 0 ? eac_modifier(w, x, y) : eac_modifier(w, x, y) * multiplier * 8;
    if (is_signed) {
      const int base = std::max<int>(static_cast<std::int8_t>(w >> 56), -127);
      texel.set(i, static_cast<float>(std::clamp(base * 8 + step, -1023, 1023)) / 1023.0f);
    } else {
      texel.set(i, static_cast<float>(std::clamp(field(w, 63, 56) * 8 + 4 + step, 0, 2047)) / 2047.0f);
    }
  }
  return texel;
}

}  // namespace heddle::image
