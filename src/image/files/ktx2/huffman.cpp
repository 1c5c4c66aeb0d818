// SPDX-License-Identifier: MIT
#include "image/files/ktx2/huffman.hpp"

namespace heddle::image {
namespace {

constexpr unsigned kLengthSymbols = 21;
/// In which order the codes of the lengths come.
constexpr std::uint8_t kLengthOrder[kLengthSymbols] = {17, 18, 19, 20, 0,  8, 7,  9, 6,  10, 5,
                                                       11, 4,  12, 3,  13, 2, 14, 1, 15, 16};

/// Symbols from 17 on stand for several lengths: zeros, or the one before once more.
struct Run {
  unsigned bits, least;
  bool repeats;
};
constexpr Run kRuns[] = {{3, 3, false}, {7, 11, false}, {2, 3, true}, {7, 7, true}};
constexpr unsigned kFirstRun = 17;

}  // namespace

std::uint32_t BitStream::take_groups(unsigned count) {
  std::uint32_t value = 0;
  for (unsigned at = 0; at < 32; at += count) {
    const std::uint32_t group = take(count + 1);
    value |= (group & ((1u << count) - 1)) << at;
    if (group >> count == 0) return value;
  }
  fail();
  return value;
}

bool HuffmanTable::read(BitStream& bits) {
  *this = {};
  const std::uint32_t total = bits.take(14);
  if (total == 0) return !bits.failed();
  const std::uint32_t given = bits.take(5);
  if (given == 0 || given > kLengthSymbols) return false;
  std::vector<std::uint8_t> lengths(kLengthSymbols);
  for (std::uint32_t i = 0; i < given; ++i) lengths[kLengthOrder[i]] = static_cast<std::uint8_t>(bits.take(3));
  HuffmanTable codes;
  if (!codes.build(lengths)) return false;
  lengths.clear();
  while (lengths.size() < total) {
    const std::uint32_t symbol = codes.take(bits);
    if (bits.failed()) return false;
    if (symbol < kFirstRun) {
      lengths.push_back(static_cast<std::uint8_t>(symbol));
      continue;
    }
    const Run& run = kRuns[symbol - kFirstRun];
    const std::size_t count = bits.take(run.bits) + run.least;
    if (run.repeats && (lengths.empty() || lengths.back() == 0)) return false;
    if (count > total - lengths.size()) return false;
    lengths.insert(lengths.end(), count, run.repeats ? lengths.back() : std::uint8_t{0});
  }
  return !bits.failed() && build(lengths);
}

bool HuffmanTable::build(const std::vector<std::uint8_t>& lengths) {
  for (const std::uint8_t length : lengths) ++counts_[length];
  const std::size_t used = lengths.size() - counts_[0];
  counts_[0] = 0;
  std::array<std::uint32_t, kLongest + 2> first{};  // place of the first symbol of each length
  std::int64_t left = 1;                            // codes that shorter ones leave
  for (unsigned length = 1; length <= kLongest; ++length) {
    left = 2 * left - counts_[length];
    if (left < 0) return false;
    first[length + 1] = first[length] + counts_[length];
  }
  if (left != 0 && used > 1) return false;  // as in Deflate, only a code of one symbol may be incomplete
  symbols_.resize(used);
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
    if (lengths[symbol] != 0) symbols_[first[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
  return true;
}

std::uint32_t HuffmanTable::take(BitStream& bits) const {
  const std::uint32_t ahead = bits.peek(kLongest);
  std::uint32_t code = 0, first = 0, place = 0;
  for (unsigned length = 1; length <= kLongest; ++length) {
    code = code << 1 | (ahead >> (length - 1) & 1);
    first <<= 1;
    if (code - first < counts_[length]) {
      bits.skip(length);
      return symbols_[place + code - first];
    }
    first += counts_[length];
    place += counts_[length];
  }
  bits.fail();
  return 0;
}

}  // namespace heddle::image
