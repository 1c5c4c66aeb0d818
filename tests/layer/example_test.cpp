// SPDX-License-Identifier: MIT
// Programs that are written for the extension draw the same pictures through the layer as on Heddle.

#include <gtest/gtest.h>

#include <cstdlib>

#include "image/files/files.hpp"
#include "layer/query_kit.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

/// `words`: the program and its arguments, but for the picture. `said`: what it said behind the device's name.
image::Surface draw(const std::string& manifest, std::vector<std::string> words, const std::string& picture,
                    std::string& said) {
  setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  words.insert(words.begin() + 1, picture);
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  said = outcome.out.substr(std::min(outcome.out.size(), outcome.out.find('\n')));
  auto read = image::load_image(picture);
  EXPECT_TRUE(read.ok());
  return read.ok() ? *std::move(read) : image::Surface{};
}

// The view is bilinear color, which drivers round differently; the marks beside it are footprints.
TEST(LayerExample, DrawsThePictureThatHeddleDraws) {
  HEDDLE_NEED_LAVAPIPE();
  const TemporaryFolder folder;
  const std::vector<std::string> words{HEDDLE_EXAMPLES "/vulkan_footprint"};
  std::string native, layered;
  const image::Surface on_heddle = draw(HEDDLE_VULKAN_MANIFEST, words, (folder / "native.png").string(), native);
  const WithLayer layer;
  const image::Surface on_lavapipe = draw(lavapipe_manifest(), words, (folder / "layer.png").string(), layered);
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

/// The last frame of vulkan_streaming's picture.
std::vector<std::uint8_t> last_frame(const image::Surface& picture) {
  constexpr std::size_t kWidth = 720, kHeight = 405, kBorder = 16;
  const std::vector<std::uint8_t> all = image::packed_texels(picture);
  std::vector<std::uint8_t> frame;
  if (picture.width < kWidth + kBorder || picture.height < kHeight + kBorder) return frame;  // it was not read
  for (std::size_t y = 0; y < kHeight; ++y) {
    const auto row = all.begin() + static_cast<std::ptrdiff_t>(((y + kBorder) * picture.width + kBorder) * 4);
    frame.insert(frame.end(), row, row + kWidth * 4);
  }
  return frame;
}

/// The lines that say how many tiles a frame needs.
std::string frames_of(const std::string& said) {
  const std::size_t first = said.find("frame 1:"), last = said.find("frame 4:");
  if (first == std::string::npos || last == std::string::npos) return "no frames in " + said;
  return said.substr(first, said.find('\n', last) - first);
}

// Each device draws from the tiles that its own footprints name, and, which --check asks, no pixel would change with
// every tile: a tile too few shows. Without anisotropy, since lavapipe 22.3 samples another level then than it answers
// to a query. Pixels differ where the devices choose levels and round colors differently, edges of triangles too.
TEST(LayerExample, StreamsTheTilesOfThePictureThatHeddleDraws) {
  HEDDLE_NEED_LAVAPIPE();
  const TemporaryFolder folder;
  const std::vector<std::string> words{HEDDLE_EXAMPLES "/vulkan_streaming", "--check", "--trilinear"};
  std::string native, layered;
  const image::Surface on_heddle = draw(HEDDLE_VULKAN_MANIFEST, words, (folder / "native.png").string(), native);
  const WithLayer layer;
  const image::Surface on_lavapipe = draw(lavapipe_manifest(), words, (folder / "layer.png").string(), layered);
  for (const std::string* said : {&native, &layered})
    EXPECT_NE(said->find("the same picture with every tile loaded"), std::string::npos) << *said;
  EXPECT_EQ(frames_of(layered), frames_of(native)) << "tiles of each frame";
  ASSERT_EQ(on_lavapipe.width, on_heddle.width);
  ASSERT_EQ(on_lavapipe.height, on_heddle.height);
  const std::vector<std::uint8_t> ours = last_frame(on_heddle), theirs = last_frame(on_lavapipe);
  ASSERT_FALSE(ours.empty());
  ASSERT_EQ(ours.size(), theirs.size());
  std::size_t far = 0;
  double sum = 0;
  for (std::size_t at = 0; at < ours.size(); ++at) {
    const int difference = std::abs(int{ours[at]} - int{theirs[at]});
    far += difference > 16 ? 1 : 0;
    sum += difference;
  }
  EXPECT_LT(sum / static_cast<double>(ours.size()), 0.5);
  EXPECT_LT(far, ours.size() / 10000);
}

}  // namespace
}  // namespace heddle::test
