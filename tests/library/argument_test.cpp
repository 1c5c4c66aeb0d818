// Wrong arguments of the library give usage-argument (docs/rules/messages.md), never a crash.

#include <gtest/gtest.h>

#include "heddle/heddle.hpp"

namespace heddle {
namespace {

template <typename T>
std::string id_of(const Result<T>& result) {
  return result.ok() || result.diagnostics().empty() ? "" : result.diagnostics().front().id;
}

TEST(LibraryArguments, EmptyImagesAreRefused) {
  const Image none;
  EXPECT_EQ(id_of(sample(none, Sampler{}, {.u = 0.5f})), "usage-argument");
  EXPECT_EQ(id_of(gather(none, Sampler{}, {.u = 0.5f})), "usage-argument");
  EXPECT_EQ(id_of(load(none, {})), "usage-argument");
  EXPECT_EQ(id_of(query_size(none)), "usage-argument");
  EXPECT_EQ(id_of(none.with_mips()), "usage-argument");
}

TEST(LibraryArguments, UnknownFormatsNameTheNearest) {
  const auto image = Image::create({.format = "R8G8B8A8_UNROM", .width = 4, .height = 4});
  ASSERT_EQ(id_of(image), "usage-argument");
  EXPECT_NE(to_text(image.diagnostics()).find("R8G8B8A8_UNORM"), std::string::npos) << to_text(image.diagnostics());
}

TEST(LibraryArguments, OffsetsChannelsAndCountsHaveRanges) {
  const auto image = Image::create({.width = 4, .height = 4});
  ASSERT_TRUE(image.ok());
  SampleOptions options;
  options.offset = {8, 0, 0};
  EXPECT_EQ(id_of(sample(*image, Sampler{}, {}, options)), "usage-argument");
  options.offset = {7, -8, 0};
  EXPECT_TRUE(sample(*image, Sampler{}, {}, options).ok());
  GatherOptions channel;
  channel.channel = 4;
  EXPECT_EQ(id_of(gather(*image, Sampler{}, {}, channel)), "usage-argument");
  const std::vector<Point> points(3);
  std::vector<Color> colors(2);
  EXPECT_EQ(id_of(sample(*image, Sampler{}, points, colors)), "usage-argument");
}

}  // namespace
}  // namespace heddle
