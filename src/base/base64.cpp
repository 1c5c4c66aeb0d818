// SPDX-License-Identifier: MIT
#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

/// Whole groups of three bytes as text.
void encode_groups(const std::uint8_t* in, std::size_t groups, char* out) {
  for (std::size_t i = 0; i < groups; ++i, in += 3, out += 4) {
    const std::uint32_t group = std::uint32_t{in[0]} << 16 | std::uint32_t{in[1]} << 8 | in[2];
    std::memcpy(out, kPairs[group >> 12].data(), 2);
    std::memcpy(out + 2, kPairs[group & 4095].data(), 2);
  }
}

/// Whole groups of four characters, without padding, as bytes; false where a character is none of the alphabet's.
bool decode_groups(const char* in, std::size_t groups, std::uint8_t* out) {
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < groups; ++i, in += 4, out += 3) {
    const std::uint32_t group = group_of(in);
    bad |= group;
    out[0] = static_cast<std::uint8_t>(group >> 16);
    out[1] = static_cast<std::uint8_t>(group >> 8);
    out[2] = static_cast<std::uint8_t>(group);
  }
  return (bad & kBad) == 0;
}

#if defined(__x86_64__)
// The same, eight groups at a time. What is looked up by a nibble follows from the alphabet: it has five runs of
// characters, in each of which a character and its bits are a constant apart (W. Mula and D. Lemire, "Faster Base64
// Encoding and Decoding Using AVX2 Instructions", 2018).

bool has_vectors() {
  static const bool has = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0;
  }();
  return has;
}

/// The same 16 bytes in both halves.
__attribute__((target("avx2"))) __m256i twice(const std::array<std::int8_t, 16>& bytes) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data())));
}

/// As encode_groups; returns the groups that are done.
__attribute__((target("avx2"))) std::size_t encode_vectors(const std::uint8_t* in, std::size_t groups, char* out) {
  // The bytes 1 0 2 1 of each group as a word: two multiplications move four fields of six bits to the bytes' ends.
  const __m256i spread = twice({1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10});
  // By max(bits, 51) - 51, or 13 for bits below 26: what makes a character of them.
  const __m256i shift = twice({'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                               '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0});
  std::size_t done = 0;
  for (; groups - done > 9; done += 8, in += 24, out += 32) {  // 28 bytes are read
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 12));
    const __m256i words = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), spread);
    const __m256i odd =
        _mm256_mulhi_epu16(_mm256_and_si256(words, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
    const __m256i even =
        _mm256_mullo_epi16(_mm256_and_si256(words, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
    const __m256i bits = _mm256_or_si256(odd, even);
    const __m256i upper = _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_set1_epi8(26), bits), _mm256_set1_epi8(13));
    const __m256i run = _mm256_or_si256(_mm256_subs_epu8(bits, _mm256_set1_epi8(51)), upper);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_add_epi8(bits, _mm256_shuffle_epi8(shift, run)));
  }
  return done;
}

/// As decode_groups, until a character is wrong or few groups are left; returns the groups that are done.
__attribute__((target("avx2"))) std::size_t decode_vectors(const char* in, std::size_t groups, std::uint8_t* out) {
  // A character is wrong where the sets of its two nibbles have a bit in common.
  const __m256i low_sets =
      twice({0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a});
  const __m256i high_sets =
      twice({0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10});
  // By the high nibble, one less for '/': what makes bits of a character.
  const __m256i shift =
      twice({0, 63 - '/', 62 - '+', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0});
  const __m256i pack = twice({2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1});
  const __m256i together = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
  const __m256i nibble = _mm256_set1_epi8(15);
  std::size_t done = 0;
  for (; groups - done > 10; done += 8, in += 32, out += 24) {  // 32 bytes are written
    const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi32(text, 4), nibble);
    const __m256i low = _mm256_and_si256(text, nibble);
    if (!_mm256_testz_si256(_mm256_shuffle_epi8(low_sets, low), _mm256_shuffle_epi8(high_sets, high))) break;
    const __m256i slash = _mm256_cmpeq_epi8(text, _mm256_set1_epi8('/'));
    const __m256i bits = _mm256_add_epi8(text, _mm256_shuffle_epi8(shift, _mm256_add_epi8(high, slash)));
    const __m256i halves = _mm256_maddubs_epi16(bits, _mm256_set1_epi32(0x01400140));
    const __m256i words = _mm256_madd_epi16(halves, _mm256_set1_epi32(0x00011000));
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(words, pack), together);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
  }
  return done;
}
#endif

void encode(const std::uint8_t* in, std::size_t groups, char* out) {
  std::size_t done = 0;
#if defined(__x86_64__)
  if (has_vectors()) done = encode_vectors(in, groups, out);
#endif
  encode_groups(in + done * 3, groups - done, out + done * 4);
}

bool decode(const char* in, std::size_t groups, std::uint8_t* out) {
  std::size_t done = 0;
#if defined(__x86_64__)
  if (has_vectors()) done = decode_vectors(in, groups, out);
#endif
  return decode_groups(in + done * 4, groups - done, out + done * 3);
}

}  // namespace

void append_base64(std::string& text, std::span<const std::uint8_t> bytes) {
  std::array<char, 4096> block;  // so that the text is written once
  while (bytes.size() >= 3) {
    const std::size_t groups = std::min(block.size() / 4, bytes.size() / 3);
    encode(bytes.data(), groups, block.data());
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
  if (!decode(text.data(), groups, bytes.data())) return std::nullopt;
  if (padding != 0) {
    std::array<char, 4> last{};
    std::memcpy(last.data(), text.data() + 4 * groups, 4);
    for (std::size_t i = 4 - padding; i < 4; ++i) last[i] = 'A';
    const std::uint32_t group = group_of(last.data());
    if ((group & kBad) != 0) return std::nullopt;
    if ((group & (padding == 2 ? 0xffffu : 0xffu)) != 0) return std::nullopt;  // bits that no byte has
    bytes[groups * 3] = static_cast<std::uint8_t>(group >> 16);
    if (padding == 1) bytes[groups * 3 + 1] = static_cast<std::uint8_t>(group >> 8);
  }
  return bytes;
}

}  // namespace heddle::base
