// Rows of elements to values: decode_texel's conversions with all that depends on the format alone outside of the
// loops.

#include "image/formats/decode_rows.hpp"

#include <algorithm>
#include <cstring>

#include "image/formats/conversions.hpp"

namespace heddle::image {
namespace {

constexpr std::size_t kRun = 256;  // texels converted at a time: all arrays of a run fit the first cache
using Run = std::array<std::uint32_t, kRun>;

/// A channel's bits of elements of 1, 2, 4 or 8 bytes.
template <unsigned Bytes>
void cut_small(const std::uint8_t* elements, const Channel& channel, std::size_t count, std::uint32_t* raw) {
  const unsigned start = channel.start;
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << channel.bits) - 1);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (Bytes == 8)
      raw[i] = static_cast<std::uint32_t>(load_little(elements + i * 8, 8) >> start) & mask;
    else
      raw[i] = static_cast<std::uint32_t>(load_little(elements + i * Bytes, Bytes)) >> start & mask;
  }
}

/// A channel of whole bytes, `step` bytes after its neighbour.
template <unsigned Bytes>
void cut_bytes(const std::uint8_t* channel, std::size_t step, std::size_t count, std::uint32_t* raw) {
  for (std::size_t i = 0; i < count; ++i) raw[i] = static_cast<std::uint32_t>(load_little(channel + i * step, Bytes));
}

/// The raw bits of a channel of up to 32 bits. Elements of 3, 6, 12, 16, 24 and 32 bytes have channels of whole bytes.
void cut(const FormatInfo& format, const Channel& channel, const std::uint8_t* elements, std::size_t count,
         std::uint32_t* raw) {
  const std::uint32_t bytes = format.bytes_per_element();
  const std::uint8_t* first = elements + channel.start / 8;
  if (bytes == 1) return cut_small<1>(elements, channel, count, raw);
  if (bytes == 2) return cut_small<2>(elements, channel, count, raw);
  if (bytes == 4) return cut_small<4>(elements, channel, count, raw);
  if (bytes == 8) return cut_small<8>(elements, channel, count, raw);
  if (channel.bits == 8) return cut_bytes<1>(first, bytes, count, raw);
  if (channel.bits == 16) return cut_bytes<2>(first, bytes, count, raw);
  return cut_bytes<4>(first, bytes, count, raw);
}

void convert_run(const FormatInfo& format, const Channel& channel, bool srgb, const std::uint8_t* elements,
                 std::size_t count, std::uint32_t* words) {
  const std::uint32_t bytes = format.bytes_per_element();
  if (channel.bits == 64) {
    with_conversion(channel, srgb, [&](auto convert) {
      for (std::size_t i = 0; i < count; ++i)
        words[i] = convert(load_little(elements + i * bytes + channel.start / 8, 8));
    });
    return;
  }
  Run raw;
  cut(format, channel, elements, count, raw.data());
  with_conversion(channel, srgb, [&](auto convert) {
    for (std::size_t i = 0; i < count; ++i) words[i] = convert(raw[i]);
  });
}

/// Plain formats: channel by channel, then the four words of each texel side by side.
void decode_channels(const FormatInfo& format, const std::uint8_t* elements, std::size_t count, bool srgb,
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

/// What the decoders of blocks leave for a strip of blocks: 8-bit values or halves, four a texel.
void convert(const std::uint8_t* from, std::size_t texels, bool srgb, std::uint32_t* words) {
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

void convert(const std::uint16_t* from, std::size_t texels, bool, std::uint32_t* words) {
  for (std::size_t i = 0; i < 4 * texels; ++i) words[i] = base::bits_of(base::widened_half(from[i]));
}

void convert(const std::uint32_t* from, std::size_t texels, bool, std::uint32_t* words) {
  std::memcpy(words, from, texels * 16);
}

/// `decode(blocks, count, strip)` fills rows of count * block_width texels; they are converted while they are in the
/// cache.
template <typename Value, typename Decode>
void decode_strips(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                   bool srgb, std::uint32_t* words, Decode decode) {
  constexpr std::size_t kStripBytes = 32 * 1024;
  alignas(64) std::array<Value, kStripBytes / sizeof(Value)> strip;
  const std::uint32_t block = format.block_width,
                      most =
                          static_cast<std::uint32_t>(kStripBytes / (4 * sizeof(Value) * block * format.block_height));
  for (std::uint32_t x = 0; x < width; x += most * block) {
    const std::uint32_t texels = std::min(most * block, width - x), count = (texels + block - 1) / block;
    decode(elements + std::size_t{x / block} * format.bytes_per_element(), count, strip.data());
    for (std::uint32_t y = 0; y < rows; ++y)
      convert(strip.data() + std::size_t{y} * count * block * 4, texels, srgb,
              words + (std::size_t{y} * width + x) * 4);
  }
}

/// One block after the other.
template <typename Value, typename Decode>
void decode_blocks(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                   bool srgb, std::uint32_t* words, Decode decode) {
  const std::uint32_t bytes = format.bytes_per_element(), step = 4u * format.block_width;
  decode_strips<Value>(format, elements, width, rows, srgb, words,
                       [&](const std::uint8_t* blocks, std::uint32_t count, Value* strip) {
                         for (std::uint32_t i = 0; i < count; ++i)
                           decode(blocks + std::size_t{i} * bytes, strip + i * step, std::size_t{count} * step);
                       });
}

void decode_one_by_one(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                       bool srgb, std::uint32_t* words) {
  const std::uint32_t bytes = format.bytes_per_element(), block = format.block_width;
  for (std::uint32_t y = 0; y < rows; ++y)
    for (std::uint32_t x = 0; x < width; ++x, words += 4) {
      const Texel texel = decode_texel(format, elements + std::size_t{x / block} * bytes, x % block, y, srgb);
      std::copy(texel.bits.begin(), texel.bits.end(), words);
    }
}

}  // namespace

void decode_rows(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                 bool srgb_decode, std::uint32_t* words) {
  const bool srgb = srgb_decode && format.is_srgb();
  const auto blocks = [&]<typename Value>(void (*decode)(const FormatInfo&, const std::uint8_t*, Value*, std::size_t)) {
    decode_blocks<Value>(
        format, elements, width, rows, srgb, words,
        [&](const std::uint8_t* block, Value* to, std::size_t pitch) { decode(format, block, to, pitch); });
  };
  switch (format.codec) {
    case Codec::None:
      std::fill_n(words, std::size_t{4} * width * rows, 0u);
      return;
    case Codec::Words:
      if (format.channel_count == 4) {
        std::memcpy(words, elements, std::size_t{16} * width);
        return;
      }
      [[fallthrough]];
    case Codec::Plain:
    case Codec::Unorm8:
      return decode_channels(format, elements, width, srgb, words);
    case Codec::SharedExponent:
      for (std::size_t i = 0; i < width; ++i) {
        const Texel texel = decode_shared(static_cast<std::uint32_t>(load_little(elements + 4 * i, 4)));
        std::copy(texel.bits.begin(), texel.bits.end(), words + 4 * i);
      }
      return;
    case Codec::Ycrcb422:
    case Codec::Planar:
      return decode_one_by_one(format, elements, width, rows, srgb, words);
    case Codec::Bc1:
    case Codec::Bc2:
    case Codec::Bc3:
      return decode_blocks<std::uint32_t>(format, elements, width, rows, srgb, words,
                                          [&](const std::uint8_t* block, std::uint32_t* to, std::size_t pitch) {
                                            decode_bc1_to_3_block(format, block, srgb, to, pitch);
                                          });
    case Codec::Bc4:
    case Codec::Bc5:
      return blocks(decode_bc4_5_block);
    case Codec::Bc6h:
      return blocks(decode_bc6h_block);
    case Codec::Bc7:
      return blocks(decode_bc7_block);
    case Codec::Etc:
      return blocks(decode_etc_block);
    case Codec::Eac:
      return blocks(decode_eac_block);
    case Codec::Fxt1:
      return blocks(decode_fxt1_block);
    case Codec::Astc:
      if (astc_is_hdr(format))
        return decode_strips<std::uint16_t>(format, elements, width, rows, srgb, words,
                                            [&](const std::uint8_t* from, std::uint32_t count, std::uint16_t* strip) {
                                              decode_astc_strip(format, from, count, strip);
                                            });
      return decode_strips<std::uint8_t>(format, elements, width, rows, srgb, words,
                                         [&](const std::uint8_t* from, std::uint32_t count, std::uint8_t* strip) {
                                           decode_astc_strip(format, from, count, strip);
                                         });
  }
}

}  // namespace heddle::image
