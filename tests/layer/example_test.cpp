// SPDX-License-Identifier: MIT
// A program that is written for the extension draws the same picture through the layer as on Heddle.

#include <gtest/gtest.h>

#include <cstdlib>

#include "image/files/files.hpp"
#include "layer/query_kit.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

image::Surface draw(const std::string& manifest, const std::string& picture, std::string& levels) {
  setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  const Outcome outcome = run({HEDDLE_EXAMPLES "/vulkan_footprint", picture});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  levels = outcome.out.substr(std::min(outcome.out.size(), outcome.out.find('\n')));  // behind the device's name
  auto read = image::load_image(picture);
  EXPECT_TRUE(read.ok());
  return read.ok() ? *std::move(read) : image::Surface{};
}

// The view is bilinear color, which drivers round differently; the marks beside it are footprints.
TEST(LayerExample, DrawsThePictureThatHeddleDraws) {
  HEDDLE_NEED_LAVAPIPE();
  const TemporaryFolder folder;
  std::string native, layered;
  const image::Surface on_heddle = draw(HEDDLE_VULKAN_MANIFEST, (folder / "native.png").string(), native);
  const WithLayer layer;
  const image::Surface on_lavapipe = draw(lavapipe_manifest(), (folder / "layer.png").string(), layered);
  EXPECT_NE(native.find("level 0: 1"), std::string::npos) << native;
  EXPECT_EQ(layered, native) << "groups of each level";
  ASSERT_EQ(on_lavapipe.width, on_heddle.width);
  const std::vector<std::uint8_t> ours = image::packed_texels(on_heddle), theirs = image::packed_texels(on_lavapipe);
  ASSERT_EQ(theirs.size(), ours.size());
  ASSERT_FALSE(ours.empty());
  constexpr std::size_t kView = 720;
  std::size_t marks = 0;
  int furthest = 0;
  for (std::size_t at = 0; at < ours.size(); ++at) {
    const int difference = std::abs(int{ours[at]} - int{theirs[at]});
    if (at / 4 % on_heddle.width >= kView) marks += difference != 0 ? 1 : 0;
    furthest = std::max(furthest, difference);
  }
  EXPECT_EQ(marks, 0u);
  EXPECT_LE(furthest, 8);
}

}  // namespace
}  // namespace heddle::test
