// SPDX-License-Identifier: MIT
// Image files in general: kinds, saving and loading by name, every format to every kind.

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "files_support.hpp"
#include "support/process.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

TEST(Files, KindsByNameAndBytes) {
  EXPECT_EQ(kind_of_path("a/b.PNG"), FileKind::Png);
  EXPECT_EQ(kind_of_path("x.ktx2"), FileKind::Ktx2);
  EXPECT_EQ(kind_of_path("png"), std::nullopt);
  EXPECT_EQ(kind_of_path("x.bin"), std::nullopt);
  EXPECT_EQ(kind_of_bytes(ByteList{'D', 'D', 'S', ' '}), FileKind::Dds);
  EXPECT_EQ(kind_of_bytes(ByteList{}), std::nullopt);
  EXPECT_EQ(refused({1, 2, 3}).id, "image-kind");
  EXPECT_EQ(refused({}).id, "image-kind");
  EXPECT_NE(refused({}).message.find("is empty"), std::string::npos);
}

TEST(Files, EveryDecodableFormatIsWrittenToEachKind) {
  for (const FormatInfo& format : all_formats()) {
    if (!decodable(format)) continue;
    const Surface surface = make(format.format, 12, 10);
    for (const FileKind kind : {FileKind::Png, FileKind::Exr, FileKind::Pfm}) {
      const auto bytes = encode_image(surface, kind);
      ASSERT_TRUE(bytes.ok()) << format.name;
      const Surface back = decoded(*bytes);
      EXPECT_EQ(back.width, 12u) << format.name;
      EXPECT_EQ(back.height, 10u) << format.name;
    }
  }
}

TEST(Files, SaveAndLoadByName) {
  const test::TemporaryFolder folder;
  const Surface surface = make(Format::R8G8B8A8_UNORM, 6, 5);
  for (const char* name : {"a.png", "a.ktx2", "a.exr", "a.pfm"}) {
    const std::string path = (folder / name).string();
    ASSERT_TRUE(save_image(path, surface).ok()) << name;
    const auto back = load_image(path);
    ASSERT_TRUE(back.ok()) << name;
    EXPECT_EQ(back->name, path);
    EXPECT_EQ(back->width, 6u);
  }
  EXPECT_EQ(save_image((folder / "a.dds").string(), surface).diagnostics().at(0).id, "image-kind");
  EXPECT_EQ(save_image((folder / "a.txt").string(), surface).diagnostics().at(0).id, "image-kind");
  EXPECT_TRUE(base::is_file_error(save_image((folder / "none/a.png").string(), surface).diagnostics().at(0)));
  EXPECT_TRUE(base::is_file_error(load_image((folder / "none.png").string()).diagnostics().at(0)));
}

TEST(Files, PackedTexelsUndoTiling) {
  Surface linear = make(Format::R8G8B8A8_UNORM, 70, 40);
  Surface tiled;
  tiled.format = linear.format;
  tiled.width = 70;
  tiled.height = 40;
  tiled.tile_mode = TileMode::Y;
  ASSERT_TRUE(allocate(tiled).ok());
  for (std::uint32_t y = 0; y < 40; ++y)
    for (std::uint32_t x = 0; x < 70; ++x) ASSERT_TRUE(store(tiled, 0, 0, x, y, fetch(linear, 0, 0, x, y).texel));
  EXPECT_EQ(packed_texels(tiled), *linear.memory);
  EXPECT_EQ(packed_texels(linear), *linear.memory);
}

}  // namespace
}  // namespace heddle::image
