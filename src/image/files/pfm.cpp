// SPDX-License-Identifier: MIT
// PFM: "PF" (three floats a texel) or "Pf" (one), size, scale (negative: little-endian), rows from the bottom up.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "image/files/codec.hpp"
#include "image/rows.hpp"

namespace heddle::image {
namespace {

constexpr std::size_t kLongestWord = 40;

bool is_space(std::uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The next word of the header, and where it starts.
std::string_view next_word(Bytes bytes, std::size_t& at, std::size_t& start) {
  while (at < bytes.size() && is_space(bytes[at])) ++at;
  start = at;
  while (at < bytes.size() && !is_space(bytes[at]) && at - start < kLongestWord) ++at;
  return base::as_text(bytes.subspan(start, at - start));
}

template <typename T>
bool read_number(std::string_view word, T& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

base::Result<Surface> decode_pfm(Bytes bytes, const std::string& name, const base::Limits& limits) {
  const bool color = bytes[1] == 'F';
  std::size_t at = 2, start = 0;
  if (at >= bytes.size() || !is_space(bytes[at]))
    return at_byte("pfm-header", "a PFM file starts with 'PF' or 'Pf' and white space", name, 0, 2);
  Surface surface;
  std::uint32_t size[2] = {};
  std::size_t size_at = 0;
  for (int i = 0; i < 2; ++i) {
    const std::string_view word = next_word(bytes, at, start);
    if (i == 0) size_at = start;
    if (!read_number(word, size[i]) || size[i] == 0)
      return at_byte("pfm-header", fmt::format("the {} is no positive number", i == 0 ? "width" : "height"), name,
                     start, static_cast<std::uint32_t>(word.size()));
  }
  float scale = 0;
  const std::string_view word = next_word(bytes, at, start);
  if (!read_number(word, scale) || scale == 0 || !std::isfinite(scale))
    return at_byte("pfm-header", "the scale is no number other than 0", name, start,
                   static_cast<std::uint32_t>(word.size()));
  if (at >= bytes.size() || !is_space(bytes[at]))
    return at_byte("pfm-header", "no white space after the scale", name, at);
  ++at;
  const std::uint64_t channels = color ? 3 : 1, needed = std::uint64_t{size[0]} * size[1] * channels * 4;
  if (size[0] > (1u << 20) || size[1] > (1u << 20) || bytes.size() - at < needed)
    return at_byte("pfm-data",
                   fmt::format("{} x {} texels of {} floats do not fit in the {} bytes that follow", size[0], size[1],
                               channels, bytes.size() - at),
                   name, size_at);
  surface.width = size[0];
  surface.height = size[1];
  surface.format = color ? Format::R32G32B32A32_FLOAT : Format::R32_FLOAT;
  auto allocated = allocate_for_file(std::move(surface), name, size_at, limits);
  if (!allocated.ok()) return allocated;
  std::uint8_t* to = allocated->memory->data();
  const bool little = scale < 0;
  for (std::uint32_t y = 0; y < size[1]; ++y) {
    const std::uint8_t* row = bytes.data() + at + std::uint64_t{size[1] - 1 - y} * size[0] * channels * 4;
    for (std::uint32_t x = 0; x < size[0]; ++x) {
      for (std::uint64_t c = 0; c < channels; ++c, row += 4, to += 4)
        for (int b = 0; b < 4; ++b) to[b] = row[little ? b : 3 - b];
      if (!color) continue;
      const std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f);
      for (int b = 0; b < 4; ++b) *to++ = static_cast<std::uint8_t>(one >> (8 * b));
    }
  }
  return allocated;
}

base::Result<std::vector<std::uint8_t>> encode_pfm(const Surface& surface, const SaveOptions& options,
                                                   base::Diagnostics* notes) {
  const auto picture = choose_picture(surface, FileKind::Pfm, options, notes);
  if (!picture.ok()) return picture.failure();
  const FormatInfo& format = surface.info();
  const Channels channels = picture_channels(format);
  const bool gray = channels == Channels::Gray;
  if (channels == Channels::Rgba || channels == Channels::GrayAlpha)
    say(notes, base::remark("pfm-format", fmt::format("{}: PFM has no alpha; it is left out", surface.name)));
  base::ByteWriter writer;
  writer.bytes(fmt::format("{}\n{} {}\n-1.0\n", gray ? "Pf" : "PF", picture->width, picture->height));
  RowReader rows(surface, options.level, options.slice);
  for (std::uint32_t y = picture->height; y-- > 0;) {
    for (const Texel& texel : rows.row(y))
      for (unsigned c = 0; c < (gray ? 1u : 3u); ++c) {
        std::uint32_t word = texel.bits[c];
        if (format.value_class == ValueClass::Uint) word = std::bit_cast<std::uint32_t>(static_cast<float>(word));
        if (format.value_class == ValueClass::Sint)
          word = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(word)));
        writer.u32(word);
      }
  }
  return writer.take();
}

}  // namespace heddle::image
