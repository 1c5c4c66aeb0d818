#include "ktx2_support.hpp"

#include <zlib.h>

#include "base/byte_cursor.hpp"

namespace heddle::image::files_test {

ByteList Ktx2File::bytes() const {
  base::ByteWriter writer;
  writer.bytes(std::string_view("\xabKTX 20\xbb\r\n\x1a\n", 12));
  const std::uint32_t count = static_cast<std::uint32_t>(levels.size()), descriptor = 80 + 24 * count;
  for (const std::uint32_t word :
       {vk_format, 1u, width, height, depth, layers, faces, count, scheme, descriptor, 28u, 0u, 0u, 0u, 0u, 0u, 0u})
    writer.u32(word);
  std::uint64_t at = descriptor + 28;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    writer.u64(at);
    writer.u64(levels[i].size());
    writer.u64(i < uncompressed.size() ? uncompressed[i] : levels[i].size());
    at += levels[i].size();
  }
  writer.u32(28);
  writer.u32(0);
  writer.u32(0x00180002);
  writer.u32(model | 0x10100u);
  for (int i = 0; i < 3; ++i) writer.u32(0);
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
