// SPDX-License-Identifier: MIT
#include "image/files/ktx2/uastc.hpp"

#include "image/formats/bptc.hpp"

namespace heddle::image {
namespace {

/// How end points are stored: some bits, and a digit of base 3 or 5 above them.
struct Range {
  std::uint8_t bits, base;
};
constexpr Range k12{2, 3}, k16{4, 1}, k32{5, 1}, k40{3, 5}, k48{4, 3}, k160{5, 5}, k192{6, 3}, k256{8, 1};

struct Mode {
  std::uint8_t code, code_bits;  // the block's first bits
  std::uint8_t hint_bits;        // for other transcoders
  std::uint8_t components, subsets, planes, weight_bits;
  Range range;
};
constexpr unsigned kSolid = 8;
constexpr Mode kModes[] = {
    {0x01, 4, 15, 3, 1, 1, 4, k192}, {0x35, 6, 15, 3, 1, 1, 2, k256}, {0x1d, 5, 15, 3, 2, 1, 3, k16},
    {0x03, 5, 15, 3, 3, 1, 2, k12},  {0x13, 5, 15, 3, 2, 1, 2, k40},  {0x0b, 5, 15, 3, 1, 1, 3, k256},
    {0x1b, 5, 15, 3, 1, 2, 2, k160}, {0x07, 5, 15, 3, 2, 1, 2, k40},  {0x17, 5, 0, 4, 1, 1, 0, k256},
    {0x0f, 5, 23, 4, 2, 1, 2, k16},  {0x02, 3, 17, 4, 1, 1, 4, k48},  {0x00, 2, 17, 4, 1, 2, 2, k48},
    {0x06, 3, 17, 4, 1, 1, 3, k192}, {0x1f, 5, 23, 4, 1, 2, 1, k256}, {0x0d, 5, 23, 4, 1, 1, 2, k256},
    {0x05, 7, 23, 2, 1, 1, 4, k256}, {0x15, 6, 23, 2, 2, 1, 2, k256}, {0x25, 6, 23, 2, 1, 2, 2, k256},
    {0x09, 4, 15, 3, 1, 1, 5, k32}};

constexpr SharedPattern same(unsigned bc7) { return {bc7, {0, 1, 0}}; }
constexpr SharedPattern inverse(unsigned bc7) { return {bc7, {1, 0, 0}}; }
constexpr SharedPattern kTwo[] = {same(0),     same(1),     inverse(2),  same(3),     inverse(4),  same(5),
                                  inverse(6),  inverse(7),  same(8),     inverse(9),  same(10),    inverse(11),
                                  inverse(12), inverse(13), same(14),    inverse(15), inverse(17), inverse(18),
                                  same(19),    same(20),    same(21),    inverse(22), inverse(23), same(24),
                                  inverse(25), same(26),    inverse(29), inverse(32), inverse(33), inverse(52)};
constexpr SharedPattern kThree[] = {{4, {0, 1, 2}},  {8, {1, 0, 2}},  {9, {1, 0, 2}},  {10, {1, 2, 0}},
                                    {11, {1, 2, 0}}, {12, {0, 1, 2}}, {13, {0, 2, 1}}, {20, {2, 0, 1}},
                                    {35, {2, 0, 1}}, {36, {1, 0, 2}}, {57, {0, 1, 2}}};
/// Two subsets of UASTC by BC7's three, two of which are one.
constexpr SharedPattern kTwoOfThree[] = {{10, {0, 1, 0}}, {11, {0, 1, 0}}, {0, {1, 0, 0}},  {2, {0, 1, 0}},
                                         {8, {1, 0, 1}},  {13, {0, 1, 0}}, {1, {0, 1, 1}},  {33, {0, 1, 1}},
                                         {40, {1, 0, 0}}, {20, {0, 1, 0}}, {21, {0, 0, 1}}, {58, {1, 0, 0}},
                                         {3, {0, 0, 1}},  {32, {0, 1, 1}}, {59, {1, 1, 0}}, {34, {1, 0, 0}},
                                         {20, {1, 1, 0}}, {14, {0, 1, 0}}, {31, {1, 0, 0}}};

std::span<const SharedPattern> patterns_of(unsigned mode) {
  if (mode == 3) return kThree;
  if (mode == 7) return kTwoOfThree;
  return kTwo;
}

/// Bits that the last, shorter group of digits has, by how many digits it holds.
constexpr std::uint8_t kGroupBits3[] = {0, 2, 4, 5, 7, 8}, kGroupBits5[] = {0, 3, 5, 7};

/// ASTC's unquantization of an end point (Khronos Data Format 1.3, section 23.13).
std::uint8_t unquantized(Range range, unsigned digit, unsigned bits) {
  if (range.base == 1) {
    const unsigned wide = bits << (16 - range.bits);
    return static_cast<std::uint8_t>((wide | wide >> range.bits) >> 8);
  }
  const unsigned a = bits & 1, x = bits >> 1;
  unsigned b = 0, c = 0;
  if (range.bits == 2) b = x * 0x116, c = 93;
  if (range.bits == 3) b = x << 7 | x << 1 | x >> 1, c = 26;
  if (range.bits == 4) b = x << 6 | x, c = 22;
  if (range.bits == 5) b = x << 5 | x >> 3, c = 6;
  if (range.bits == 6) b = x << 4 | x >> 4, c = 5;
  const unsigned t = (digit * c + b) ^ (a != 0 ? 0x1ffu : 0u);
  return static_cast<std::uint8_t>((a != 0 ? 0x80u : 0u) | t >> 2);
}

/// Of the second end point in 64ths, as ASTC widens an index.
unsigned weight_of(unsigned index, unsigned bits) {
  unsigned wide = 0;
  for (unsigned have = 0; have < 6; have += bits)
    wide |= 6 - have >= bits ? index << (6 - have - bits) : index >> (bits - (6 - have));
  return wide + (wide > 32 ? 1 : 0);
}

/// All digits come first, several in one number, then the bits of each value.
void read_ends(const Mode& mode, BlockBits& bits, UastcBlock& block) {
  constexpr unsigned kMax = 18;
  std::array<std::uint8_t, kMax> digits{};
  const unsigned count = 2u * mode.components * mode.subsets;
  if (mode.range.base != 1) {
    const bool threes = mode.range.base == 3;
    const unsigned group = threes ? 5 : 3;
    for (unsigned at = 0; at < count; at += group) {
      const unsigned held = std::min(group, count - at);
      unsigned number = bits.take(threes ? kGroupBits3[held] : kGroupBits5[held]);
      for (unsigned i = 0; i < held; ++i, number /= mode.range.base)
        digits[at + i] = static_cast<std::uint8_t>(number % mode.range.base);
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    const std::uint8_t value = unquantized(mode.range, digits[i], bits.take(mode.range.bits));
    const unsigned subset = i / (2u * mode.components), component = i / 2 % mode.components;
    UastcBlock::Rgba& end = block.ends[2 * subset + i % 2];
    if (mode.components != 2)
      end[component] = value;
    else if (component == 0)
      end[0] = end[1] = end[2] = value;
    else
      end[3] = value;
    if (mode.components == 3) end[3] = 255;
  }
}

/// The first texel of each subset has one bit less, in both planes.
void read_weights(const Mode& mode, BlockBits& bits, UastcBlock& block) {
  unsigned seen = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned subset = 1u << (block.partition >> (2 * i) & 3);
    const unsigned count = (seen & subset) == 0 ? mode.weight_bits - 1u : mode.weight_bits;
    seen |= subset;
    block.weights[i] = static_cast<std::uint8_t>(bits.take(count));
    if (mode.planes == 2) block.second_weights[i] = static_cast<std::uint8_t>(bits.take(count));
  }
}

}  // namespace

SharedPattern uastc_pattern(unsigned mode, unsigned pattern) { return patterns_of(mode)[pattern]; }

std::optional<UastcBlock> read_uastc(const std::uint8_t* bytes) {
  BlockBits bits(bytes);
  UastcBlock block;
  while (block.mode < std::size(kModes) && bits.bits(0, kModes[block.mode].code_bits) != kModes[block.mode].code)
    ++block.mode;
  if (block.mode == std::size(kModes)) return std::nullopt;  // the one code that is left
  const Mode& mode = kModes[block.mode];
  bits.skip(mode.code_bits);
  if (block.mode == kSolid) {
    for (std::uint8_t& channel : block.ends[0]) channel = static_cast<std::uint8_t>(bits.take(8));
    block.ends[1] = block.ends[0];
    return block;
  }
  bits.skip(mode.hint_bits);
  block.subsets = mode.subsets;
  block.weight_bits = mode.weight_bits;
  block.two_planes = mode.planes == 2;
  if (mode.subsets > 1) {
    block.pattern = bits.take(block.mode == 3 ? 4 : 5);
    if (block.pattern >= patterns_of(block.mode).size()) return std::nullopt;
    const SharedPattern shared = uastc_pattern(block.mode, block.pattern);
    const bool three = block.mode == 3 || block.mode == 7;
    const std::uint32_t subsets = bptc_subsets(three ? 3 : 2, shared.bc7);
    for (unsigned i = 0; i < 16; ++i)
      block.partition |= std::uint32_t{shared.subset[subsets >> (2 * i) & 3]} << (2 * i);
  }
  if (block.two_planes && mode.components != 2) block.component = bits.take(2);
  read_ends(mode, bits, block);
  read_weights(mode, bits, block);
  return block;
}

std::array<UastcBlock::Rgba, 16> uastc_texels(const UastcBlock& block) {
  std::array<UastcBlock::Rgba, 16> texels;
  if (block.weight_bits == 0) {
    texels.fill(block.ends[0]);
    return texels;
  }
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned low = 2 * (block.partition >> (2 * i) & 3);
    for (unsigned c = 0; c < 4; ++c) {
      const bool second = block.two_planes && c == block.component;
      const unsigned weight = weight_of(second ? block.second_weights[i] : block.weights[i], block.weight_bits);
      const unsigned sum = 257u * block.ends[low][c] * (64 - weight) + 257u * block.ends[low + 1][c] * weight + 32;
      texels[i][c] = static_cast<std::uint8_t>(sum >> 14);
    }
  }
  return texels;
}

}  // namespace heddle::image
