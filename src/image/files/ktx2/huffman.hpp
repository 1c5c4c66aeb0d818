// SPDX-License-Identifier: MIT
#pragma once
// The bit streams and Huffman codes of BasisLZ (KTX 2.0, "Compressed Huffman Tables"): canonical codes as Deflate has
// them, of up to 16 bits, for symbols of up to 14.

#include <array>
#include <cstdint>
#include <vector>

#include "image/files/codec.hpp"

namespace heddle::image {

/// Bits from the lowest of each byte on. Past the end they are 0, and the stream has failed.
class BitStream {
 public:
  explicit BitStream(Bytes bytes) : bytes_(bytes) {}

  /// The next `count` (up to 16) bits, the first one lowest.
  [[nodiscard]] std::uint32_t peek(unsigned count) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0, at = position_ / 8; i < 3 && at < bytes_.size(); ++i, ++at)
      bits |= std::uint32_t{bytes_[at]} << (8 * i);
    return bits >> (position_ % 8) & ((1u << count) - 1);
  }
  void skip(unsigned count) {
    position_ += count;
    if (position_ > 8 * bytes_.size()) fail();
  }
  std::uint32_t take(unsigned count) {
    const std::uint32_t bits = peek(count);
    skip(count);
    return bits;
  }
  /// A number in groups of `count` bits, each followed by a bit that says whether one more comes.
  std::uint32_t take_groups(unsigned count);

  void fail() { failed_ = true; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  Bytes bytes_;
  std::uint64_t position_ = 0;
  bool failed_ = false;
};

class HuffmanTable {
 public:
  /// Reads the lengths of the codes; false where they make no code, or the stream has failed. A table may be empty.
  [[nodiscard]] bool read(BitStream& bits);
  /// The next symbol; a code that no symbol has lets the stream fail.
  [[nodiscard]] std::uint32_t take(BitStream& bits) const;

 private:
  static constexpr unsigned kLongest = 16;

  [[nodiscard]] bool build(const std::vector<std::uint8_t>& lengths);

  std::array<std::uint16_t, kLongest + 1> counts_{};  // of the codes of each length
  std::vector<std::uint16_t> symbols_;                // in the order of their codes
};

}  // namespace heddle::image
