// SPDX-License-Identifier: MIT
// Truncated and mutated image files: refused with a place, or read within the limits. A failure prints seed and round.

#include <gtest/gtest.h>

#include <random>

#include "exr_support.hpp"
#include "ktx2_support.hpp"
#include "support/process.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

/// One good file of each kind; some of them large enough to have several levels, chunks and rows.
std::vector<ByteList> seeds() {
  std::vector<ByteList> files;
  const Surface small = make(Format::R8G8B8A8_UNORM, 9, 7);
  files.push_back(*encode_image(small, FileKind::Png));
  files.push_back(make_png(3, 4, 5, 3, {0x12, 0x30, 0x10, 0x01, 0x23, 0x30, 0x11, 0x11, 0x10}, true));
  files.push_back(interlaced_png());
  Surface mips;
  mips.format = Format::ASTC_LDR_2D_4X4_FLT16;
  mips.width = 16;
  mips.height = 8;
  mips.levels = 4;
  mips = filled(std::move(mips), 3);
  files.push_back(*encode_image(mips, FileKind::Ktx2));
  files.push_back(*encode_image(mips, FileKind::Ktx2, {.zstd = true}));
  files.push_back(dds(4, 4, 0, 3, 4, kDx10, {}, 0, {71, 3, 4, 1, 0}, 6 * 3 * 8));
  files.push_back(dds(2, 2, 2, 1, 0x20000, 0, {8, 0xff, 0, 0, 0}, 0x200000, {}, 8));
  files.push_back(*encode_image(make(Format::R16G16B16A16_FLOAT, 8, 40), FileKind::Exr));
  files.push_back(*encode_image(make(Format::R32_UINT, 3, 3), FileKind::Exr));
  files.push_back(*encode_image(make(Format::R32_FLOAT, 3, 3), FileKind::Pfm));
  files.push_back(library_exr(true, 3));
  files.push_back(luminance_chroma(Imf::WRITE_YCA));
  files.push_back(channels_file({{"R", Imf::HALF, 1}, {"G", Imf::FLOAT, 2}, {"B", Imf::UINT, 1}}, -2, 4, 6, 4));
  const ByteList words{1, 2, 3, 4, 5, 6, 7, 8};
  files.push_back(
      Ktx2File{.vk_format = 22, .width = 4, .scheme = 3, .levels = {zlib_packed(words)}, .uncompressed = {8}}.bytes());
  files.push_back(
      Ktx2File{.vk_format = 1000156000, .width = 4, .height = 0, .levels = {words, {1, 2, 3, 4}, {5, 6, 7, 8}}}
          .bytes());
  files.push_back(dds(3, 2, 0, 1, 0x41, 0, {16, 0xf, 0xf0, 0xf00, 0xf000}, 0, {}, 12));
  for (const char* name : {"etc1s_alpha", "etc1s_frames", "uastc_alpha", "uastc_opaque"})
    files.push_back(
        test::read_bytes(std::string(HEDDLE_TEST_DIR) + "/image/data/universal/" + name + std::string(".ktx2")));
  return files;
}

base::Limits tight() {
  base::Limits limits;
  limits.surface_bytes = 1 << 20;
  return limits;
}

TEST(Files, TruncationsAreRefusedWithAPlace) {
  for (const ByteList& file : seeds()) {
    const Surface whole = decoded(file);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const ByteList cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const auto result = decode_image(cut, "file", {}, tight());
      if (result.ok()) {
        // Only what follows the texels is missing: the end mark of a PNG, the smaller levels of an EXR. Of a DDS the
        // levels that are there are read.
        if (result->levels == whole.levels) {
          EXPECT_EQ(*result->memory, *whole.memory);
        }
        EXPECT_EQ(packed_slice(*result, 0, 0), packed_slice(whole, 0, 0));
        continue;
      }
      ASSERT_FALSE(result.diagnostics().empty());
      EXPECT_EQ(result.diagnostics()[0].place.file, "file");
      EXPECT_LE(result.diagnostics()[0].place.offset, file.size());
    }
  }
}

TEST(Files, MutationsNeverDoHarm) {
  const unsigned seed = 20240607, rounds = test::test_all() ? 20000 : 1500;
  std::mt19937 random(seed);
  unsigned accepted = 0;
  for (const ByteList& file : seeds())
    for (unsigned round = 0; round < rounds; ++round) {
      ByteList bytes = file;
      const unsigned changes = 1 + random() % 4;
      for (unsigned i = 0; i < changes; ++i) {
        const std::size_t at = random() % bytes.size();
        switch (random() % 5) {
          case 0:
            bytes[at] = static_cast<std::uint8_t>(random());
            break;
          case 1:
            bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1u << (random() % 8));
            break;
          case 2:
            bytes[at] = random() % 2 != 0 ? 0xff : 0;
            break;
          case 3:
            bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
            break;
          default:
            bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random()));
            break;
        }
        if (bytes.empty()) bytes.push_back(0);
      }
      SCOPED_TRACE(testing::Message() << "seed " << seed << " round " << round);
      const auto result = decode_image(bytes, "file", {}, tight());
      if (!result.ok()) {
        ASSERT_FALSE(result.diagnostics().empty());
        continue;
      }
      ++accepted;
      ASSERT_LE(result->memory->size(), tight().surface_bytes);
      (void)fetch(*result, 0, 0, 0, 0);
    }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace heddle::image
