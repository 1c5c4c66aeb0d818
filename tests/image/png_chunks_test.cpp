// SPDX-License-Identifier: MIT
// PNG chunks: checksums, chunks that are cut off, chunks that say nothing about texels.

#include <gtest/gtest.h>
#include <zlib.h>

#include <string_view>

#include "files_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

const ByteList& good() {
  static const ByteList bytes = make_png(3, 8, 2, 1, {1, 2}, true);  // IHDR PLTE tRNS IDAT IEND
  return bytes;
}

std::size_t find_chunk(const ByteList& bytes, std::string_view type) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.find(type) - 4;
}

std::size_t chunk_size(const ByteList& bytes, std::size_t at) { return 12u + bytes[at + 2] * 256u + bytes[at + 3]; }

/// The good file with one bit of that chunk's checksum changed.
ByteList damaged(std::string_view type) {
  ByteList bytes = good();
  const std::size_t at = find_chunk(bytes, type);
  bytes[at + chunk_size(bytes, at) - 1] ^= 1;
  return bytes;
}

/// The good file with another chunk before IDAT.
ByteList with_chunk(std::string_view type, const ByteList& data, bool damage = false) {
  ByteList chunk{0, 0, static_cast<std::uint8_t>(data.size() >> 8), static_cast<std::uint8_t>(data.size())};
  chunk.insert(chunk.end(), type.begin(), type.end());
  chunk.insert(chunk.end(), data.begin(), data.end());
  const auto checksum =
      static_cast<std::uint32_t>(crc32(0, chunk.data() + 4, static_cast<uInt>(chunk.size() - 4))) ^ (damage ? 1u : 0u);
  for (int shift = 24; shift >= 0; shift -= 8) chunk.push_back(static_cast<std::uint8_t>(checksum >> shift));
  ByteList bytes = good();
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(find_chunk(bytes, "IDAT")), chunk.begin(), chunk.end());
  return bytes;
}

/// Reads a file whose texels must be those of the good one; the warnings.
std::vector<base::Diagnostic> warnings(const ByteList& bytes) {
  base::Diagnostics notes;
  const auto result = decode_image(bytes, "file", {}, {}, &notes);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.diagnostics()[0].message);
  if (result.ok()) {
    EXPECT_EQ(*result->memory, (ByteList{10, 20, 30, 99, 20, 40, 60, 255}));
  }
  for (const base::Diagnostic& d : notes.all()) EXPECT_EQ(d.severity, base::Severity::Warning);
  return notes.all();
}

TEST(PngChunks, DamagedChunksThatTexelsNeedAreRefused) {
  EXPECT_TRUE(warnings(good()).empty());
  for (const std::string_view type : {"IHDR", "PLTE", "tRNS", "IDAT"}) {
    const base::Diagnostic d = refused(damaged(type));
    EXPECT_EQ(d.id, type == "IHDR" ? "png-header" : "png-data") << type;
    EXPECT_EQ(d.place.offset, find_chunk(good(), type)) << type;
    EXPECT_NE(d.message.find(type), std::string::npos) << d.message;
    EXPECT_NE(d.message.find("checksum"), std::string::npos) << d.message;
  }
  // A bit of the data in place of the checksum.
  ByteList bytes = good();
  bytes[find_chunk(bytes, "PLTE") + 8] ^= 4;
  EXPECT_EQ(refused(bytes).id, "png-data");
}

TEST(PngChunks, OtherDamageIsAWarning) {
  EXPECT_TRUE(warnings(with_chunk("gAMA", {0, 1, 0x86, 0xa0})).empty());
  const auto gamma = warnings(with_chunk("gAMA", {0, 1, 0x86, 0xa0}, true));
  ASSERT_EQ(gamma.size(), 1u);
  EXPECT_EQ(gamma[0].id, "png-data");
  EXPECT_EQ(gamma[0].place.offset, find_chunk(good(), "IDAT"));
  EXPECT_EQ(warnings(with_chunk("tEXt", {'a', 0, 'b'}, true)).size(), 1u);
  EXPECT_EQ(warnings(damaged("IEND")).size(), 1u);
  ByteList without_end = good();
  without_end.resize(find_chunk(good(), "IEND"));
  EXPECT_EQ(warnings(without_end).size(), 1u);
}

TEST(PngChunks, ChunksThatLeadNowhere) {
  ByteList bytes = good();
  const std::size_t at = find_chunk(bytes, "IDAT");
  bytes[at] = 0x7f;  // a length of 2 GiB
  EXPECT_EQ(refused(bytes).place.offset, at);
  EXPECT_NE(refused(bytes).message.find("end of the file"), std::string::npos);
  bytes[at] = 0;
  bytes[at + 4] = '1';
  EXPECT_EQ(refused(bytes).place.offset, at);
  EXPECT_EQ(refused(with_chunk("ABCD", {1})).id, "png-data");  // a critical chunk that nobody knows
}

}  // namespace
}  // namespace heddle::image
