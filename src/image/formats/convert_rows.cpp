// SPDX-License-Identifier: MIT
// Loops over rows of values. They are built twice on x86-64, the second time for AVX2; the machine chooses.

#include "image/formats/convert_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "image/formats/conversions.hpp"

namespace heddle::image {
namespace {

constexpr std::size_t kRun = 256;  // texels converted at a time: all arrays of a run fit the first cache
using Run = std::array<std::uint32_t, kRun>;

/// load_little of a type's size, as one load.
template <typename Word>
HEDDLE_INLINE Word load(const std::uint8_t* from) {
  Word word;
  if constexpr (std::endian::native == std::endian::little)
    std::memcpy(&word, from, sizeof word);
  else
    word = static_cast<Word>(load_little(from, sizeof word));
  return word;
}

/// A channel's bits of elements of 1, 2, 4 or 8 bytes.
template <typename Element>
HEDDLE_INLINE void cut_small(const std::uint8_t* elements, const Channel& channel, std::size_t count,
                             std::uint32_t* raw) {
  const unsigned start = channel.start;
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << channel.bits) - 1);
  for (std::size_t i = 0; i < count; ++i)
    raw[i] = static_cast<std::uint32_t>(load<Element>(elements + i * sizeof(Element)) >> start) & mask;
}

/// A channel of whole bytes, `step` bytes after its neighbor.
template <typename Word>
HEDDLE_INLINE void cut_bytes(const std::uint8_t* channel, std::size_t step, std::size_t count, std::uint32_t* raw) {
  for (std::size_t i = 0; i < count; ++i) raw[i] = load<Word>(channel + i * step);
}

/// The raw bits of a channel of up to 32 bits. Elements of 3, 6, 12, 16, 24 and 32 bytes have channels of whole bytes.
HEDDLE_INLINE void cut(const FormatInfo& format, const Channel& channel, const std::uint8_t* elements,
                       std::size_t count, std::uint32_t* raw) {
  const std::uint32_t bytes = format.bytes_per_element();
  const std::uint8_t* first = elements + channel.start / 8;
  if (bytes == 1) return cut_small<std::uint8_t>(elements, channel, count, raw);
  if (bytes == 2) return cut_small<std::uint16_t>(elements, channel, count, raw);
  if (bytes == 4) return cut_small<std::uint32_t>(elements, channel, count, raw);
  if (bytes == 8) return cut_small<std::uint64_t>(elements, channel, count, raw);
  if (channel.bits == 8) return cut_bytes<std::uint8_t>(first, bytes, count, raw);
  if (channel.bits == 16) return cut_bytes<std::uint16_t>(first, bytes, count, raw);
  return cut_bytes<std::uint32_t>(first, bytes, count, raw);
}

HEDDLE_INLINE void convert_run(const FormatInfo& format, const Channel& channel, bool srgb,
                               const std::uint8_t* elements, std::size_t count, std::uint32_t* words) {
  const std::uint32_t bytes = format.bytes_per_element();
  if (channel.bits == 64) {
    with_conversion(channel, srgb, [&](auto convert) HEDDLE_INLINE_LAMBDA {
      for (std::size_t i = 0; i < count; ++i)
        words[i] = convert(load<std::uint64_t>(elements + i * bytes + channel.start / 8));
    });
    return;
  }
  Run raw;
  cut(format, channel, elements, count, raw.data());
  with_conversion(channel, srgb, [&](auto convert) HEDDLE_INLINE_LAMBDA {
    for (std::size_t i = 0; i < count; ++i) words[i] = convert(raw[i]);
  });
}

/// Plain formats: channel by channel, then the four words of each texel side by side.
HEDDLE_INLINE void channels(const FormatInfo& format, const std::uint8_t* elements, std::size_t count, bool srgb,
                            std::uint32_t* words) {
  // Runs 0 to 3 hold the defaults (NUM-23), run 4 + i channel i. `from`: the run that each word comes from.
  std::array<Run, 9> runs;
  const Texel defaults = default_texel(format.value_class);
  Texel from{{0, 1, 2, 3}};
  for (std::size_t c = 0; c < 4; ++c) runs[c].fill(defaults.bits[c]);
  for (std::uint32_t i = 0; i < format.channel_count; ++i)
    if (format.channels[i].type != ChannelType::Unused) place(from, format.channels[i].name, 4 + i);
  const std::uint32_t *r = runs[from.bits[0]].data(), *g = runs[from.bits[1]].data(), *b = runs[from.bits[2]].data(),
                      *a = runs[from.bits[3]].data();
  for (std::size_t done = 0; done < count; done += kRun) {
    const std::size_t now = std::min(kRun, count - done);
    for (std::size_t i = 0; i < format.channel_count; ++i)
      if (format.channels[i].type != ChannelType::Unused)
        convert_run(format, format.channels[i], srgb, elements + done * format.bytes_per_element(), now,
                    runs[4 + i].data());
    std::uint32_t* to = words + 4 * done;
    for (std::size_t i = 0; i < now; ++i, to += 4) {
      to[0] = r[i];
      to[1] = g[i];
      to[2] = b[i];
      to[3] = a[i];
    }
  }
}

HEDDLE_INLINE void bytes(const std::uint8_t* from, std::size_t texels, bool srgb, std::uint32_t* words) {
  if (!srgb) {
    for (std::size_t i = 0; i < 4 * texels; ++i) words[i] = base::bits_of(unorm8(from[i]));
    return;
  }
  const float* table = srgb_decode_table(8).data();
  for (std::size_t i = 0; i < texels; ++i, from += 4, words += 4) {
    for (std::size_t c = 0; c < 3; ++c) words[c] = base::bits_of(table[from[c]]);
    words[3] = base::bits_of(unorm8(from[3]));
  }
}

HEDDLE_INLINE void halves(const std::uint16_t* from, std::size_t texels, std::uint32_t* words) {
  for (std::size_t i = 0; i < 4 * texels; ++i) words[i] = base::bits_of(base::widened_half(from[i]));
}

/// Opaque magenta again and again: as long as the loops' pieces, so that these are loops over single values.
constexpr auto kMagenta = [] {
  std::array<float, 256> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 4 == 1 ? 0.0f : 1.0f;
  return values;
}();

HEDDLE_INLINE void rounded(std::uint32_t* words, std::size_t texels, bool srgb) {
  const float* table = srgb ? srgb_decode_table(8).data() : nullptr;
  for (std::size_t left = 4 * texels; left != 0;) {
    const std::size_t now = std::min(left, kMagenta.size());
    for (std::size_t i = 0; i < now; ++i) {
      const float value = base::float_from_bits(words[i]), known = value <= 1.0f ? value : kMagenta[i];
      words[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(known * 255.0f + 0.5f));
    }
    for (std::size_t i = 0; srgb && i < now; i += 4) {
      for (std::size_t c = 0; c < 3; ++c) words[i + c] = base::bits_of(table[words[i + c]]);
      words[i + 3] = base::bits_of(unorm8(words[i + 3]));
    }
    for (std::size_t i = 0; !srgb && i < now; ++i) words[i] = base::bits_of(unorm8(words[i]));
    words += now;
    left -= now;
  }
}

#if defined(__x86_64__)
#define HEDDLE_AVX2 __attribute__((target("avx2")))
HEDDLE_AVX2 void channels_avx2(const FormatInfo& format, const std::uint8_t* elements, std::size_t count, bool srgb,
                               std::uint32_t* words) {
  channels(format, elements, count, srgb, words);
}
HEDDLE_AVX2 void bytes_avx2(const std::uint8_t* from, std::size_t texels, bool srgb, std::uint32_t* words) {
  bytes(from, texels, srgb, words);
}
HEDDLE_AVX2 void halves_avx2(const std::uint16_t* from, std::size_t texels, std::uint32_t* words) {
  halves(from, texels, words);
}
HEDDLE_AVX2 void rounded_avx2(std::uint32_t* words, std::size_t texels, bool srgb) { rounded(words, texels, srgb); }

const RowConversions* for_avx2() {
  static constexpr RowConversions conversions{channels_avx2, bytes_avx2, halves_avx2, rounded_avx2};
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0 ? &conversions : nullptr;
}
#else
const RowConversions* for_avx2() { return nullptr; }
#endif

}  // namespace

const RowConversions& portable_row_conversions() {
  static constexpr RowConversions conversions{channels, bytes, halves, rounded};
  return conversions;
}

const RowConversions& row_conversions() {
  static const RowConversions& best = for_avx2() != nullptr ? *for_avx2() : portable_row_conversions();
  return best;
}

}  // namespace heddle::image
