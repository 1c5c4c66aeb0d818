// SPDX-License-Identifier: MIT
// BC6H by the Khronos Data Format Specification 1.3 (NUM-27): the decoded half, widened.

#include <algorithm>
#include <string_view>

#include "base/half.hpp"
#include "image/formats/bptc.hpp"

namespace heddle::image {
namespace {

/// One run of bits of the block, in its order: bits high..low of a channel of an end point; high < low means reversed.
struct Field {
  std::uint8_t endpoint = 0, channel = 0, high = 0, low = 0;
};

struct Mode {
  std::uint8_t number = 0;
  bool transformed = false;
  std::uint8_t subsets = 1;
  std::uint8_t endpoint_bits = 0;
  std::array<std::uint8_t, 3> delta_bits{};
  std::array<Field, 25> fields{};
  std::uint8_t field_count = 0;
};

constexpr unsigned number_at(std::string_view text, std::size_t& at) {
  unsigned value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9')
    value = value * 10 + static_cast<unsigned>(text[at++] - '0');
  return value;
}

/// "r0.9:0" = bits 9..0 of red of end point 0, least bit first; "b3.4" = one bit.
constexpr Mode make_mode(unsigned number, bool transformed, unsigned subsets, unsigned bits,
                         std::array<std::uint8_t, 3> deltas, std::string_view text) {
  Mode mode;
  mode.number = static_cast<std::uint8_t>(number);
  mode.transformed = transformed;
  mode.subsets = static_cast<std::uint8_t>(subsets);
  mode.endpoint_bits = static_cast<std::uint8_t>(bits);
  mode.delta_bits = deltas;
  std::size_t at = 0;
  while (at < text.size()) {
    Field field;
    field.channel = text[at] == 'r' ? 0 : text[at] == 'g' ? 1 : 2;
    field.endpoint = static_cast<std::uint8_t>(text[at + 1] - '0');
    at += 3;
    field.high = field.low = static_cast<std::uint8_t>(number_at(text, at));
    if (at < text.size() && text[at] == ':') field.low = static_cast<std::uint8_t>(number_at(text, ++at));
    ++at;
    mode.fields[mode.field_count++] = field;
  }
  return mode;
}

// clang-format off
constexpr Mode kModes[] = {
    make_mode(0, true, 2, 10, {5, 5, 5}, "g2.4 b2.4 b3.4 r0.9:0 g0.9:0 b0.9:0 r1.4:0 g3.4 g2.3:0 g1.4:0 b3.0 g3.3:0 b1.4:0 b3.1 b2.3:0 r2.4:0 b3.2 r3.4:0 b3.3"),
    make_mode(1, true, 2, 7, {6, 6, 6}, "g2.5 g3.4 g3.5 r0.6:0 b3.0 b3.1 b2.4 g0.6:0 b2.5 b3.2 g2.4 b0.6:0 b3.3 b3.5 b3.4 r1.5:0 g2.3:0 g1.5:0 g3.3:0 b1.5:0 b2.3:0 r2.5:0 r3.5:0"),
    make_mode(2, true, 2, 11, {5, 4, 4}, "r0.9:0 g0.9:0 b0.9:0 r1.4:0 r0.10 g2.3:0 g1.3:0 g0.10 b3.0 g3.3:0 b1.3:0 b0.10 b3.1 b2.3:0 r2.4:0 b3.2 r3.4:0 b3.3"),
    make_mode(6, true, 2, 11, {4, 5, 4}, "r0.9:0 g0.9:0 b0.9:0 r1.3:0 r0.10 g3.4 g2.3:0 g1.4:0 g0.10 g3.3:0 b1.3:0 b0.10 b3.1 b2.3:0 r2.3:0 b3.0 b3.2 r3.3:0 g2.4 b3.3"),
    make_mode(10, true, 2, 11, {4, 4, 5}, "r0.9:0 g0.9:0 b0.9:0 r1.3:0 r0.10 b2.4 g2.3:0 g1.3:0 g0.10 b3.0 g3.3:0 b1.4:0 b0.10 b2.3:0 r2.3:0 b3.1 b3.2 r3.3:0 b3.4 b3.3"),
    make_mode(14, true, 2, 9, {5, 5, 5}, "r0.8:0 b2.4 g0.8:0 g2.4 b0.8:0 b3.4 r1.4:0 g3.4 g2.3:0 g1.4:0 b3.0 g3.3:0 b1.4:0 b3.1 b2.3:0 r2.4:0 b3.2 r3.4:0 b3.3"),
    make_mode(18, true, 2, 8, {6, 5, 5}, "r0.7:0 g3.4 b2.4 g0.7:0 b3.2 g2.4 b0.7:0 b3.3 b3.4 r1.5:0 g2.3:0 g1.4:0 b3.0 g3.3:0 b1.4:0 b3.1 b2.3:0 r2.5:0 r3.5:0"),
    make_mode(22, true, 2, 8, {5, 6, 5}, "r0.7:0 b3.0 b2.4 g0.7:0 g2.5 g2.4 b0.7:0 g3.5 b3.4 r1.4:0 g3.4 g2.3:0 g1.5:0 g3.3:0 b1.4:0 b3.1 b2.3:0 r2.4:0 b3.2 r3.4:0 b3.3"),
    make_mode(26, true, 2, 8, {5, 5, 6}, "r0.7:0 b3.1 b2.4 g0.7:0 b2.5 g2.4 b0.7:0 b3.5 b3.4 r1.4:0 g3.4 g2.3:0 g1.4:0 b3.0 g3.3:0 b1.5:0 b2.3:0 r2.4:0 b3.2 r3.4:0 b3.3"),
    make_mode(30, false, 2, 6, {6, 6, 6}, "r0.5:0 g3.4 b3.0 b3.1 b2.4 g0.5:0 g2.5 b2.5 b3.2 g2.4 b0.5:0 g3.5 b3.3 b3.5 b3.4 r1.5:0 g2.3:0 g1.5:0 g3.3:0 b1.5:0 b2.3:0 r2.5:0 r3.5:0"),
    make_mode(3, false, 1, 10, {10, 10, 10}, "r0.9:0 g0.9:0 b0.9:0 r1.9:0 g1.9:0 b1.9:0"),
    make_mode(7, true, 1, 11, {9, 9, 9}, "r0.9:0 g0.9:0 b0.9:0 r1.8:0 r0.10 g1.8:0 g0.10 b1.8:0 b0.10"),
    make_mode(11, true, 1, 12, {8, 8, 8}, "r0.9:0 g0.9:0 b0.9:0 r1.7:0 r0.10:11 g1.7:0 g0.10:11 b1.7:0 b0.10:11"),
    make_mode(15, true, 1, 16, {4, 4, 4}, "r0.9:0 g0.9:0 b0.9:0 r1.3:0 r0.10:15 g1.3:0 g0.10:15 b1.3:0 b0.10:15"),
};
// clang-format on

constexpr auto kModeOfNumber = [] {
  std::array<std::int8_t, 32> modes{};
  modes.fill(-1);
  for (std::size_t i = 0; i < std::size(kModes); ++i) modes[kModes[i].number] = static_cast<std::int8_t>(i);
  return modes;
}();

int sign_extend(int value, unsigned bits) {
  return static_cast<int>(static_cast<unsigned>(value) << (32 - bits)) >> (32 - bits);
}

int unquantize(int value, unsigned bits, bool is_signed) {
  if (!is_signed) {
    if (bits >= 15 || value == 0) return value;
    return value == (1 << bits) - 1 ? 0xffff : ((value << 15) + 0x4000) >> (bits - 1);
  }
  if (bits >= 16 || value == 0) return value;
  const int magnitude = value < 0 ? -value : value;
  const int result = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
  return value < 0 ? -result : result;
}

std::uint16_t finish(int value, bool is_signed) {
  if (!is_signed) return static_cast<std::uint16_t>((value * 31) >> 6);
  return static_cast<std::uint16_t>(value < 0 ? (((-value) * 31) >> 5) | 0x8000 : (value * 31) >> 5);
}

/// What a block says, with its end points unquantized. Texels are taken from it.
class Block {
 public:
  Block(const FormatInfo& format, const std::uint8_t* bytes)
      : is_signed_(format.channels[0].type == ChannelType::Float) {
    BlockBits bits(bytes);
    const unsigned low = bits.take(2);
    const unsigned number = low < 2 ? low : low | bits.take(3) << 2;
    if (kModeOfNumber[number] < 0) return;  // a reserved mode: black
    const Mode& mode = kModes[kModeOfNumber[number]];
    read_fields(mode, bits);
    const unsigned partition = mode.subsets == 2 ? bits.take(5) : 0;
    finish_end_points(mode);
    subsets_ = bptc_subsets(mode.subsets, partition);
    indices_ = BptcIndices(bits, bits.position(), mode.subsets == 2 ? 3 : 4, mode.subsets, partition);
  }

  /// Halves of red, green and blue of texel `i` (row by row).
  [[nodiscard]] std::array<std::uint16_t, 3> texel(unsigned i) const {
    const unsigned low = 2 * (subsets_ >> (2 * i) & 3), high = low + 1;
    const int weight = static_cast<int>(indices_.weight(i));
    std::array<std::uint16_t, 3> halves{};
    for (std::size_t c = 0; c < 3; ++c)
      halves[c] = finish((values_[low][c] * (64 - weight) + values_[high][c] * weight + 32) >> 6, is_signed_);
    return halves;
  }

 private:
  void read_fields(const Mode& mode, BlockBits& bits) {
    for (unsigned f = 0; f < mode.field_count; ++f) {
      const Field& field = mode.fields[f];
      int& value = values_[field.endpoint][field.channel];
      if (field.high >= field.low) {
        value |= static_cast<int>(bits.take(field.high - field.low + 1u) << field.low);
      } else {
        for (unsigned bit = field.low + 1u; bit-- > field.high;) value |= static_cast<int>(bits.take(1) << bit);
      }
    }
  }

  void finish_end_points(const Mode& mode) {
    const unsigned bits = mode.endpoint_bits, count = 2u * mode.subsets;
    for (unsigned channel = 0; channel < 3; ++channel) {
      if (is_signed_) values_[0][channel] = sign_extend(values_[0][channel], bits);
      for (unsigned e = 1; e < count; ++e) {
        int& value = values_[e][channel];
        if (mode.transformed) {
          value = (values_[0][channel] + sign_extend(value, mode.delta_bits[channel])) & ((1 << bits) - 1);
          if (is_signed_) value = sign_extend(value, bits);
        } else if (is_signed_) {
          value = sign_extend(value, bits);
        }
      }
      for (unsigned e = 0; e < count; ++e) values_[e][channel] = unquantize(values_[e][channel], bits, is_signed_);
    }
  }

  bool is_signed_;
  int values_[4][3] = {};
  std::uint32_t subsets_ = 0;
  BptcIndices indices_;
};

}  // namespace

Texel decode_bc6h(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y) {
  Texel texel = default_texel(ValueClass::Float);
  const auto halves = Block(format, block).texel(4 * y + x);
  for (std::size_t c = 0; c < 3; ++c) texel.set(static_cast<int>(c), base::half_to_float(halves[c]));
  return texel;
}

void decode_bc6h_block(const FormatInfo& format, const std::uint8_t* block, std::uint16_t* to, std::size_t pitch) {
  constexpr std::uint16_t kOne = 0x3c00;
  const Block whole(format, block);
  for (unsigned i = 0; i < 16; ++i) {
    const auto halves = whole.texel(i);
    std::uint16_t* at = to + (i / 4) * pitch + (i % 4) * 4;
    std::copy(halves.begin(), halves.end(), at);
    at[3] = kOne;
  }
}

}  // namespace heddle::image
