#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace heddle::base {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Two characters for 12 bits.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  return pairs;
}();

constexpr std::uint32_t kBad = 0xff000000;

/// The bits of a character at each of the four places; kBad for others.
constexpr auto kBits = [] {
  std::array<std::array<std::uint32_t, 256>, 4> bits{};
  for (auto& place : bits) place.fill(kBad);
  for (std::uint32_t i = 0; i < 64; ++i)
    for (std::uint32_t place = 0; place < 4; ++place)
      bits[place][static_cast<std::uint8_t>(kAlphabet[i])] = i << (18 - 6 * place);
  return bits;
}();

std::uint32_t group_of(const char* text) {
  const auto at = [&](std::size_t place) { return kBits[place][static_cast<std::uint8_t>(text[place])]; };
  return at(0) | at(1) | at(2) | at(3);
}

}  // namespace

void append_base64(std::string& text, std::span<const std::uint8_t> bytes) {
  std::array<char, 4096> block;  // so that the text is written once
  while (bytes.size() >= 3) {
    const std::size_t groups = std::min(block.size() / 4, bytes.size() / 3);
    const std::uint8_t* in = bytes.data();
    char* out = block.data();
    for (std::size_t i = 0; i < groups; ++i, in += 3, out += 4) {
      const std::uint32_t group = std::uint32_t{in[0]} << 16 | std::uint32_t{in[1]} << 8 | in[2];
      std::memcpy(out, kPairs[group >> 12].data(), 2);
      std::memcpy(out + 2, kPairs[group & 4095].data(), 2);
    }
    text.append(block.data(), groups * 4);
    bytes = bytes.subspan(groups * 3);
  }
  if (bytes.empty()) return;
  const bool two = bytes.size() == 2;
  const std::uint32_t group = std::uint32_t{bytes[0]} << 16 | (two ? std::uint32_t{bytes[1]} << 8 : 0);
  text.append(kPairs[group >> 12].data(), 2);
  text += two ? kAlphabet[group >> 6 & 63] : '=';
  text += '=';
}

std::optional<std::vector<std::uint8_t>> parse_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.empty()) return std::vector<std::uint8_t>();
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const std::size_t groups = text.size() / 4 - (padding != 0 ? 1 : 0);
  std::vector<std::uint8_t> bytes(text.size() / 4 * 3 - padding);
  std::uint8_t* out = bytes.data();
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < groups; ++i, out += 3) {
    const std::uint32_t group = group_of(text.data() + 4 * i);
    bad |= group;
    out[0] = static_cast<std::uint8_t>(group >> 16);
    out[1] = static_cast<std::uint8_t>(group >> 8);
    out[2] = static_cast<std::uint8_t>(group);
  }
  if (padding != 0) {
    std::array<char, 4> last{};
    std::memcpy(last.data(), text.data() + 4 * groups, 4);
    for (std::size_t i = 4 - padding; i < 4; ++i) last[i] = 'A';
    const std::uint32_t group = group_of(last.data());
    bad |= group;
    if ((group & (padding == 2 ? 0xffffu : 0xffu)) != 0) return std::nullopt;  // bits that no byte has
    out[0] = static_cast<std::uint8_t>(group >> 16);
    if (padding == 1) out[1] = static_cast<std::uint8_t>(group >> 8);
  }
  if ((bad & kBad) != 0) return std::nullopt;
  return bytes;
}

}  // namespace heddle::base
