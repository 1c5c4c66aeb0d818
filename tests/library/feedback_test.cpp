// SPDX-License-Identifier: MIT
// feedback.hpp: cells by hand from the definitions of Direct3D's specification.
// Rules: FP-28 to FP-30, FP-34.
#include "heddle/feedback.hpp"

#include <gtest/gtest.h>

#include "library/ids.hpp"

namespace heddle::test {
namespace {

using Cells = std::vector<std::uint8_t>;
constexpr std::uint8_t kUsed = 255, kNone = FeedbackMaps::kNone;

Image image16() {
  auto image = Image::create({.format = "R8_UNORM", .width = 16, .height = 16, .levels = 2});
  EXPECT_TRUE(image.ok());
  return *image;
}
Sampler sampler(const char* words) { return *Sampler::parse(words); }
Feedback feedback(const FeedbackOptions& options) {
  auto made = Feedback::create(image16(), options);
  EXPECT_TRUE(made.ok());
  return *made;
}

TEST(LibraryFeedback, TapsOnBothSidesOfASeam) {
  // u = 0 is between texels 15 and 0, v = 0.25 between rows 3 and 4.
  Feedback f = feedback({.region = {8, 8}});
  ASSERT_TRUE(f.sample(sampler("linear,repeat"), {.u = 0, .v = 0.25f}).ok());
  EXPECT_EQ(f.maps().used[0].cells, (Cells{kUsed, kUsed, 0, 0}));
  EXPECT_EQ(f.maps().used[1].cells, (Cells{0}));
  EXPECT_EQ(f.maps().min_mip.cells, (Cells{0, 0, kNone, kNone}));
  EXPECT_EQ(f.maps().min_mip.columns, 2u);
  // FP-34: the point form marks the region under the coordinate.
  EXPECT_EQ(f.least().min_mip.cells, (Cells{0, kNone, kNone, kNone}));
  EXPECT_EQ(f.greatest().min_mip.cells, (Cells{0, 0, kNone, kNone}));
}

TEST(LibraryFeedback, TexelsWithoutWeight) {
  // The middle of texel 7: its neighbor 8, of the next region, has weight 0.
  Feedback f = feedback({.region = {8, 8}});
  ASSERT_TRUE(f.sample(sampler("linear,clamp_to_edge"), {.u = 0.46875f, .v = 0.03125f}).ok());
  EXPECT_EQ(f.least().used[0].cells, (Cells{kUsed, 0, 0, 0}));
  EXPECT_EQ(f.greatest().used[0].cells, (Cells{kUsed, kUsed, 0, 0}));
}

TEST(LibraryFeedback, SamplesAddUp) {
  Feedback f = feedback({.region = {8, 8}, .form = FeedbackForm::Point});
  SampleOptions coarse;
  coarse.lod = 1;
  ASSERT_TRUE(f.sample(sampler("mip=nearest,repeat"), {.u = 1.75f, .v = 0.25f}, coarse).ok());
  EXPECT_EQ(f.maps().min_mip.cells, (Cells{kNone, 1, kNone, kNone}));
  EXPECT_EQ(f.maps().used[1].cells, (Cells{kUsed}));
  ASSERT_TRUE(f.sample(sampler("mip=nearest,repeat"), {.u = 0.75f, .v = 0.25f}).ok());
  EXPECT_EQ(f.maps().min_mip.cells, (Cells{kNone, 0, kNone, kNone}));
}

TEST(LibraryFeedback, WrongArguments) {
  EXPECT_EQ(id_of(Feedback::create({})), "usage-argument");
  EXPECT_EQ(id_of(Feedback::create(image16(), {.region = {3, 8}})), "footprint-feedback-region");
  EXPECT_EQ(id_of(Feedback::create(*Image::create({.type = ImageType::Dim3, .width = 8, .height = 8, .depth = 8}))),
            "usage-argument");
  Feedback f = feedback({.region = {8, 8}});
  EXPECT_EQ(id_of(f.sample(sampler("linear"), {}, SampleOptions{{.offset = {9, 0, 0}}, 0, {}})), "usage-argument");
}

}  // namespace
}  // namespace heddle::test
