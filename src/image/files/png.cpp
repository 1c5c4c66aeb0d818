// SPDX-License-Identifier: MIT
// PNG through libspng. Reading expands everything to RGBA; writing chooses the channels and the width by the surface's
// format.

#include <spng.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "image/files/codec.hpp"
#include "image/files/png_chunks.hpp"
#include "image/rows.hpp"

namespace heddle::image {
namespace {

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using Context = std::unique_ptr<spng_ctx, FreeContext>;

constexpr std::uint32_t kMaxSide = 1u << 20;              // before the surface's own check
constexpr std::size_t kMaxChunk = std::size_t{64} << 20;  // bytes of one ancillary chunk, and of all that are kept

struct Source {
  Bytes bytes;
  std::size_t position = 0;
};

int read_source(spng_ctx* /*context*/, void* user, void* to, std::size_t length) {
  auto& source = *static_cast<Source*>(user);
  if (source.bytes.size() - source.position < length) return SPNG_IO_EOF;
  std::memcpy(to, source.bytes.data() + source.position, length);
  source.position += length;
  return 0;
}

base::Diagnostic problem(const char* id, int code, const Source& source, const std::string& name) {
  return at_byte(id, fmt::format("broken PNG: {}", spng_strerror(code)), name, source.position);
}

/// tRNS holds 16 bits a channel, of which those of the image's depth count (PNG, 11.3.2.1); the library compares all.
int narrow_transparency(spng_ctx* context, const spng_ihdr& header) {
  const bool color = header.color_type == SPNG_COLOR_TYPE_TRUECOLOR;
  if (!color && header.color_type != SPNG_COLOR_TYPE_GRAYSCALE) return 0;
  spng_trns chunk{};
  const int code = spng_get_trns(context, &chunk);
  if (code != 0) return code == SPNG_ECHUNKAVAIL ? 0 : code;
  const unsigned mask = (1u << header.bit_depth) - 1;
  for (std::uint16_t* value : {&chunk.gray, &chunk.red, &chunk.green, &chunk.blue})
    *value = static_cast<std::uint16_t>(*value & mask);
  return spng_set_trns(context, &chunk);
}

std::uint32_t integer_sample(std::uint32_t word, ValueClass value_class, std::uint32_t top, bool& clamped) {
  if (value_class == ValueClass::Sint && static_cast<std::int32_t>(word) < 0) {
    clamped = true;
    return 0;
  }
  if (word > top) {
    clamped = true;
    return top;
  }
  return word;
}

/// NUM-50.
std::uint32_t unit_sample(float x, std::uint32_t top, bool& clamped) {
  if (!(x >= 0.0f)) {
    clamped = true;
    return 0;
  }
  if (x > 1.0f) {
    clamped = true;
    return top;
  }
  return static_cast<std::uint32_t>(std::nearbyint(x * static_cast<float>(top)));
}

bool wide_channels(const FormatInfo& format) {
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    const bool fixed = channel.type == ChannelType::Unorm || channel.type == ChannelType::Snorm ||
                       channel.type == ChannelType::Uint || channel.type == ChannelType::Sint;
    if (fixed && channel.bits > 8) return true;
  }
  return false;
}

/// Which texel channel each sample of a PNG pixel comes from (-1: zero).
std::vector<int> sample_sources(Channels channels) {
  switch (channels) {
    case Channels::Gray:
      return {0};
    case Channels::GrayAlpha:
      return {0, 3};
    case Channels::Rg:
      return {0, 1, -1};
    case Channels::Rgb:
      return {0, 1, 2};
    case Channels::Rgba:
      return {0, 1, 2, 3};
  }
  return {};
}

std::uint8_t color_type(Channels channels) {
  switch (channels) {
    case Channels::Gray:
      return SPNG_COLOR_TYPE_GRAYSCALE;
    case Channels::GrayAlpha:
      return SPNG_COLOR_TYPE_GRAYSCALE_ALPHA;
    case Channels::Rg:
    case Channels::Rgb:
      return SPNG_COLOR_TYPE_TRUECOLOR;
    case Channels::Rgba:
      return SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  }
  return SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
}

}  // namespace

base::Result<Surface> decode_png(Bytes bytes, const std::string& name, const LoadOptions& options,
                                 const base::Limits& limits, base::Diagnostics* notes) {
  if (const auto whole = check_png_chunks(bytes, name, notes); !whole.ok()) return whole.failure();
  const Context context(spng_ctx_new(0));
  Source source{bytes};
  if (context == nullptr)
    return base::limit_error("limit-memory", "no memory to read the PNG", base::Place::in_file(name));
  spng_set_image_limits(context.get(), kMaxSide, kMaxSide);
  spng_set_chunk_limits(context.get(), kMaxChunk, kMaxChunk);
  // The chunks that matter have been checked; one that does not is left out if it is damaged.
  spng_set_crc_action(context.get(), SPNG_CRC_ERROR, SPNG_CRC_DISCARD);
  spng_set_png_stream(context.get(), read_source, &source);
  spng_ihdr header{};
  if (const int code = spng_get_ihdr(context.get(), &header); code != 0)
    return problem("png-header", code, source, name);

  Surface surface;
  surface.width = header.width;
  surface.height = header.height;
  const bool wide = header.bit_depth == 16;
  surface.format = wide           ? Format::R16G16B16A16_UNORM
                   : options.srgb ? Format::R8G8B8A8_UNORM_SRGB
                                  : Format::R8G8B8A8_UNORM;
  if (const int code = narrow_transparency(context.get(), header); code != 0)
    return problem("png-data", code, source, name);
  constexpr std::uint64_t size_at = 16;  // the sizes in IHDR
  auto allocated = allocate_for_file(std::move(surface), name, size_at, limits);
  if (!allocated.ok()) return allocated;
  const int format = wide ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
  std::size_t size = 0;
  if (const int code = spng_decoded_image_size(context.get(), format, &size); code != 0)
    return problem("png-data", code, source, name);
  Memory& memory = *allocated->memory;
  if (size != memory.size()) return at_byte("png-data", "the decoded size does not fit the header", name, size_at);
  if (const int code = spng_decode_image(context.get(), memory.data(), memory.size(), format, SPNG_DECODE_TRNS);
      code != 0)
    return problem("png-data", code, source, name);
  return allocated;
}

base::Result<std::vector<std::uint8_t>> encode_png(const Surface& surface, const SaveOptions& options,
                                                   base::Diagnostics* notes) {
  const auto picture = choose_picture(surface, FileKind::Png, options, notes);
  if (!picture.ok()) return picture.failure();
  const FormatInfo& format = surface.info();
  const Channels channels = picture_channels(format);
  const std::vector<int> sources = sample_sources(channels);
  const bool wide = wide_channels(format);
  const std::uint32_t top = wide ? 65535 : 255;

  const Context context(spng_ctx_new(SPNG_CTX_ENCODER));
  const auto failed = [&](int code) {
    return base::error("png-format", fmt::format("{}: PNG can't be written: {}", surface.name, spng_strerror(code)));
  };
  if (context == nullptr) return failed(SPNG_EMEM);
  spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{};
  header.width = picture->width;
  header.height = picture->height;
  header.bit_depth = wide ? 16 : 8;
  header.color_type = color_type(channels);
  int code = spng_set_ihdr(context.get(), &header);
  if (code == 0 && format.is_srgb()) code = spng_set_srgb(context.get(), 0);
  if (code == 0)
    code = spng_encode_image(context.get(), nullptr, 0, SPNG_FMT_PNG, SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE);
  if (code != 0) return failed(code);

  RowReader rows(surface, options.level, options.slice, false);
  std::vector<std::uint8_t> samples(std::size_t{picture->width} * sources.size() * (wide ? 2 : 1));
  std::uint64_t clamped_texels = 0;
  for (std::uint32_t y = 0; y < picture->height; ++y) {
    std::uint8_t* to = samples.data();
    for (const Texel& texel : rows.row(y)) {
      bool clamped = false;
      for (const int from : sources) {
        std::uint32_t sample = 0;
        if (from >= 0) {
          const std::uint32_t word = texel.bits[static_cast<std::size_t>(from)];
          sample = format.value_class == ValueClass::Float ? unit_sample(texel.f(from), top, clamped)
                                                           : integer_sample(word, format.value_class, top, clamped);
        }
        if (wide) {
          const auto narrow = static_cast<std::uint16_t>(sample);
          std::memcpy(to, &narrow, 2);
          to += 2;
        } else {
          *to++ = static_cast<std::uint8_t>(sample);
        }
      }
      clamped_texels += clamped ? 1 : 0;
    }
    code = spng_encode_row(context.get(), samples.data(), samples.size());
    if (code != 0 && code != SPNG_EOI) return failed(code);
  }
  if (clamped_texels != 0)
    say(notes,
        base::remark(
            "png-format",
            fmt::format("{}: {} texels of {} were clamped to {}", surface.name, clamped_texels, format.name,
                        format.value_class == ValueClass::Float ? std::string("0...1") : fmt::format("0...{}", top))));
  std::size_t size = 0;
  std::unique_ptr<void, decltype(&std::free)> buffer(spng_get_png_buffer(context.get(), &size, &code), &std::free);
  if (buffer == nullptr || code != 0) return failed(code);
  const auto* first = static_cast<const std::uint8_t*>(buffer.get());
  return std::vector<std::uint8_t>(first, first + size);
}

}  // namespace heddle::image
