// SPDX-License-Identifier: MIT
#include "ktx2_support.hpp"

#include <zlib.h>

#include "base/byte_cursor.hpp"

namespace heddle::image::files_test {

ByteList Ktx2File::bytes() const {
  base::ByteWriter writer;
  writer.bytes(std::string_view("\xabKTX 20\xbb\r\n\x1a\n", 12));
  const auto count = static_cast<std::uint32_t>(levels.size()), samples = static_cast<std::uint32_t>(channels.size());
  const std::uint32_t descriptor = 80 + 24 * count, length = 28 + 16 * samples;
  for (const std::uint32_t word :
       {vk_format, 1u, width, height, depth, layers, faces, count, scheme, descriptor, length,
        keys.empty() ? 0u : descriptor + length, static_cast<std::uint32_t>(keys.size())})
    writer.u32(word);
  std::uint64_t at = descriptor + length + keys.size();
  writer.u64(global.empty() ? 0 : at);
  writer.u64(global.size());
  at += global.size();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    writer.u64(at);
    writer.u64(levels[i].size());
    writer.u64(i < uncompressed.size() ? uncompressed[i] : levels[i].size());
    at += levels[i].size();
  }
  writer.u32(length);
  writer.u32(0);
  writer.u32(2 | (length - 4) << 16);
  writer.u32(model | 0x10100u);
  for (int i = 0; i < 3; ++i) writer.u32(0);
  for (const std::uint8_t channel : channels) {
    writer.u32(std::uint32_t{channel} << 24 | 63u << 16);
    for (int i = 0; i < 3; ++i) writer.u32(0);
  }
  writer.bytes(keys);
  writer.bytes(global);
  for (const ByteList& level : levels) writer.bytes(level);
  return writer.take();
}

ByteList zlib_packed(const ByteList& bytes) {
  ByteList packed(compressBound(bytes.size()));
  uLongf size = packed.size();
  EXPECT_EQ(compress(packed.data(), &size, bytes.data(), bytes.size()), Z_OK);
  packed.resize(size);
  return packed;
}

}  // namespace heddle::image::files_test
