// SPDX-License-Identifier: MIT
// A surface whose texels lie in a file: what does not fit is refused, and by which id.
#include "image/files/open_surface.hpp"

#include <gtest/gtest.h>

#include "support/process.hpp"

namespace heddle::image {
namespace {

TEST(OpenSurface, FilesThatDoNotFit) {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "five.bin", {1, 2, 3, 4, 5});
  Surface surface;
  surface.type = SurfaceType::Dim2;
  surface.format = find_format("R8_UINT")->format;
  surface.width = 3;
  surface.height = 2;
  ASSERT_TRUE(allocate(surface).ok());
  const auto wrong = read_packed_texels((folder / "five.bin").string(), surface, "the surface", {});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.diagnostics()[0].id, "surface-file");
  EXPECT_NE(wrong.diagnostics()[0].message.find("has 5 bytes, the surface needs 6"), std::string::npos);
  EXPECT_EQ((*surface.memory)[0], 0) << "nothing was read";
  surface.width = 5;
  surface.height = 1;
  ASSERT_TRUE(allocate(surface).ok());
  ASSERT_TRUE(read_packed_texels((folder / "five.bin").string(), surface, "the surface", {}).ok());
  EXPECT_EQ((*surface.memory)[4], 5);
}

}  // namespace
}  // namespace heddle::image
