// SPDX-License-Identifier: MIT
#include "files_support.hpp"

#include <spng.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/byte_cursor.hpp"
#include "support/process.hpp"

namespace heddle::image::files_test {

Surface make(Format format, std::uint32_t width, std::uint32_t height, unsigned seed) {
  Surface surface;
  surface.name = "made";
  surface.format = format;
  surface.width = width;
  surface.height = height;
  EXPECT_TRUE(allocate(surface).ok());
  std::mt19937 random(seed);
  for (auto& byte : *surface.memory) byte = static_cast<std::uint8_t>(random());
  return surface;
}

Surface filled(Surface surface, unsigned seed) {
  surface.name = "made";
  const auto done = allocate(surface);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.diagnostics()[0].message);
  std::mt19937 random(seed);
  for (auto& byte : *surface.memory) byte = static_cast<std::uint8_t>(random());
  return surface;
}

Surface decoded(const ByteList& bytes, const LoadOptions& options) {
  auto result = decode_image(bytes, "file", options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.diagnostics()[0].message);
  return result.ok() ? std::move(result).value() : Surface{};
}

base::Diagnostic refused(const ByteList& bytes, const base::Limits& limits) {
  const auto result = decode_image(bytes, "file", {}, limits);
  EXPECT_FALSE(result.ok());
  return result.ok() || result.diagnostics().empty() ? base::Diagnostic{} : result.diagnostics()[0];
}

void set_texel(Surface& surface, std::uint32_t x, std::uint32_t y, std::array<float, 4> rgba) {
  Texel texel;
  for (int i = 0; i < 4; ++i) texel.set(i, rgba[static_cast<std::size_t>(i)]);
  EXPECT_TRUE(store(surface, 0, 0, x, y, texel));
}

ByteList make_png(int color_type, int depth, std::uint32_t width, std::uint32_t height, const ByteList& raw,
                  bool transparent) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{};
  header.width = width;
  header.height = height;
  header.bit_depth = static_cast<std::uint8_t>(depth);
  header.color_type = static_cast<std::uint8_t>(color_type);
  EXPECT_EQ(spng_set_ihdr(context, &header), 0);
  if (color_type == SPNG_COLOR_TYPE_INDEXED) {
    spng_plte palette{};
    palette.n_entries = depth == 1 ? 2 : 4;
    for (unsigned i = 0; i < palette.n_entries; ++i)
      palette.entries[i] = {static_cast<std::uint8_t>(10 * i), static_cast<std::uint8_t>(20 * i),
                            static_cast<std::uint8_t>(30 * i), 255};
    spng_set_plte(context, &palette);
  }
  if (transparent) {
    spng_trns chunk{};
    if (color_type == SPNG_COLOR_TYPE_INDEXED) {
      chunk.n_type3_entries = 2;
      chunk.type3_alpha[0] = 7;
      chunk.type3_alpha[1] = 99;
    }
    chunk.gray = 1;
    spng_set_trns(context, &chunk);
  }
  EXPECT_EQ(spng_encode_image(context, raw.data(), raw.size(), SPNG_FMT_RAW, SPNG_ENCODE_FINALIZE), 0);
  std::size_t size = 0;
  int code = 0;
  void* buffer = spng_get_png_buffer(context, &size, &code);
  const auto* first = static_cast<const std::uint8_t*>(buffer);
  ByteList bytes(first, first + size);
  std::free(buffer);
  spng_ctx_free(context);
  return bytes;
}

ByteList with_chunk(const ByteList& png, std::string_view type, const ByteList& content) {
  ByteList chunk;
  const auto word = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) chunk.push_back(static_cast<std::uint8_t>(value >> shift));
  };
  word(static_cast<std::uint32_t>(content.size()));
  chunk.insert(chunk.end(), type.begin(), type.end());
  chunk.insert(chunk.end(), content.begin(), content.end());
  word(static_cast<std::uint32_t>(crc32(0, chunk.data() + 4, static_cast<uInt>(chunk.size() - 4))));
  constexpr std::string_view kTexels = "IDAT";
  ByteList result = png;
  const auto texels = std::search(result.begin(), result.end(), kTexels.begin(), kTexels.end());
  EXPECT_TRUE(texels != result.end());
  if (texels != result.end()) result.insert(texels - 4, chunk.begin(), chunk.end());
  return result;
}

ByteList interlaced_png() { return test::read_bytes(std::string(HEDDLE_TEST_DIR) + "/image/data/interlaced.png"); }

ByteList dds(std::uint32_t width, std::uint32_t height, std::uint32_t depth, std::uint32_t mips,
             std::uint32_t pixel_flags, std::uint32_t code, std::array<std::uint32_t, 5> masks, std::uint32_t caps2,
             std::vector<std::uint32_t> dx10, std::size_t data) {
  base::ByteWriter writer;
  writer.bytes(std::string_view("DDS "));
  for (const std::uint32_t word : {124u, 0x1007u, height, width, 0u, depth, mips}) writer.u32(word);
  for (int i = 0; i < 11; ++i) writer.u32(0);
  writer.u32(32);
  writer.u32(pixel_flags);
  writer.u32(code);
  for (const std::uint32_t mask : masks) writer.u32(mask);
  writer.u32(0x1000);
  writer.u32(caps2);
  for (int i = 0; i < 3; ++i) writer.u32(0);
  for (const std::uint32_t word : dx10) writer.u32(word);
  for (std::size_t i = 0; i < data; ++i) writer.u8(i * 7 + 1);
  return writer.take();
}

}  // namespace heddle::image::files_test
