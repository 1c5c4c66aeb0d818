// SPDX-License-Identifier: MIT
// Radiance pictures by hand: values, runs of both forms, the eight orientations, XYZ; what is broken is refused.

#include <gmock/gmock.h>

#include <cmath>

#include "files_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;
using ::testing::HasSubstr;
using Row = std::vector<float>;

ByteList file(std::string_view resolution, const ByteList& data,
              std::string_view head = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n") {
  ByteList bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), resolution.begin(), resolution.end());
  bytes.push_back('\n');
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

Row values(const ByteList& bytes, std::size_t expected_notes = 0) {
  base::Diagnostics notes;
  const auto surface = decode_image(bytes, "a.hdr", {}, {}, &notes);
  EXPECT_TRUE(surface.ok()) << (surface.ok() ? "" : surface.diagnostics()[0].message);
  EXPECT_EQ(notes.all().size(), expected_notes);
  if (!surface.ok()) return {};
  EXPECT_EQ(surface->format, Format::R32G32B32A32_FLOAT);
  Row all;
  for (std::uint32_t y = 0; y < surface->height; ++y)
    for (std::uint32_t x = 0; x < surface->width; ++x)
      for (int c = 0; c < 4; ++c) all.push_back(fetch(*surface, 0, 0, x, y).texel.f(c));
  return all;
}

// IMF-6: mantissa * 2^(exponent - 136).
TEST(Radiance, ValuesAreMantissaAndExponent_IMF6) {
  EXPECT_EQ(values(file("-Y 1 +X 3", {128, 64, 255, 129, 10, 0, 1, 128, 9, 9, 9, 0})),
            (Row{1.0f, 0.5f, 255.0f / 128, 1, 10.0f / 256, 0, 1.0f / 256, 1, 0, 0, 0, 1}));
  // The smallest and the largest exponent.
  EXPECT_EQ(values(file("-Y 1 +X 2", {1, 255, 0, 1, 255, 2, 0, 255})),
            (Row{std::ldexp(1.0f, -135), std::ldexp(255.0f, -135), 0, 1, std::ldexp(255.0f, 119), std::ldexp(2.0f, 119),
                 0, 1}));
  // Factors that the values were multiplied by are said, not undone.
  EXPECT_EQ(values(file("-Y 1 +X 1", {128, 64, 32, 129},
                        "#?RGBE\n# a comment\nEXPOSURE=2.5\nCOLORCORR=1 2 3\nGAMMA=1\nFORMAT=32-bit_rle_rgbe\n\n"),
                   2),
            (Row{1, 0.5f, 0.25f, 1}));
  EXPECT_EQ(values(file("-Y 1 +X 1", {128, 64, 32, 129}, "#?RADIANCE\n\n"), 1), (Row{1, 0.5f, 0.25f, 1}));
  EXPECT_EQ(values(file("-Y 1 +X 1", {128, 64, 32, 129}, "#?RADIANCE\r\nFORMAT=32-bit_rle_rgbe\r\n\r\n")),
            (Row{1, 0.5f, 0.25f, 1}));
}

TEST(Radiance, EightOrientations) {
  // Four pixels of red 1 2 3 4 in the order of the file: two scan lines of two.
  const ByteList data{1, 0, 0, 136, 2, 0, 0, 136, 3, 0, 0, 136, 4, 0, 0, 136};
  const auto reds = [&](std::string_view resolution) {
    const Row all = values(file(resolution, data));
    return all.size() == 16 ? Row{all[0], all[4], all[8], all[12]} : Row{};
  };
  EXPECT_EQ(reds("-Y 2 +X 2"), (Row{1, 2, 3, 4}));
  EXPECT_EQ(reds("-Y 2 -X 2"), (Row{2, 1, 4, 3}));
  EXPECT_EQ(reds("+Y 2 +X 2"), (Row{3, 4, 1, 2}));
  EXPECT_EQ(reds("+Y 2 -X 2"), (Row{4, 3, 2, 1}));
  EXPECT_EQ(reds("+X 2 -Y 2"), (Row{1, 3, 2, 4}));  // the first scan line is the left column, from the top down
  EXPECT_EQ(reds("+X 2 +Y 2"), (Row{2, 4, 1, 3}));
  EXPECT_EQ(reds("-X 2 -Y 2"), (Row{3, 1, 4, 2}));
  EXPECT_EQ(reds("-X 2 +Y 2"), (Row{4, 2, 3, 1}));
  // Sizes follow their axes: three scan lines of one pixel are columns here.
  const auto surface = decode_image(file("+X 3 -Y 1", {1, 0, 0, 136, 2, 0, 0, 136, 3, 0, 0, 136}), "a.hdr");
  ASSERT_TRUE(surface.ok());
  EXPECT_EQ(surface->width, 3u);
  EXPECT_EQ(surface->height, 1u);
  EXPECT_EQ(fetch(*surface, 0, 0, 2, 0).texel.f(0), 3.0f);
}

TEST(Radiance, RunsOfBothForms) {
  // The new form: each byte of the 9 pixels in runs: 8 of 128 and a literal 64; ...
  const ByteList runs{2, 2, 0, 9, 128 + 8, 128, 1, 64, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 128 + 9, 0, 128 + 9, 136};
  const Row row = values(file("-Y 1 +X 9", runs));
  ASSERT_EQ(row.size(), 36u);
  for (std::size_t x = 0; x < 9; ++x) {
    EXPECT_EQ(row[4 * x], x < 8 ? 128.0f : 64.0f);
    EXPECT_EQ(row[4 * x + 1], static_cast<float>(x));
    EXPECT_EQ(row[4 * x + 2], 0.0f);
  }
  // The old form: (1, 1, 1, n) repeats; a second one counts in 256s: 1 + 3 + 1 * 256 pixels.
  const Row old = values(file("-Y 1 +X 261", {7, 8, 9, 136, 1, 1, 1, 3, 1, 1, 1, 1, 5, 5, 5, 136}));
  ASSERT_EQ(old.size(), 4 * 261u);
  for (std::size_t x = 0; x < 260; ++x) EXPECT_EQ(old[4 * x + 1], 8.0f) << x;
  EXPECT_EQ(old[4 * 260], 5.0f);
  // Short scan lines have no new form: the mark is a pixel.
  EXPECT_EQ(values(file("-Y 1 +X 2", {2, 2, 0, 136, 4, 4, 4, 136})), (Row{2, 2, 0, 1, 4, 4, 4, 1}));
}

// IMF-7.
TEST(Radiance, XyzBecomesRgb_IMF7) {
  const char* head = "#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n";
  // White has equal X, Y, Z.
  const Row white = values(file("-Y 1 +X 1", {128, 128, 128, 129}, head), 1);
  ASSERT_EQ(white.size(), 4u);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(white[static_cast<std::size_t>(c)], 1.0f, 1e-6f);
  // X : Y : Z = x : y : 1 - x - y of green (0.29, 0.60): 58 : 120 : 22. There is green alone, and its Y is the part
  // that green has of white's: with S the sums of X, Y, Z, 0.64 Sr + 0.29 Sg + 0.15 Sb = 0.33 Sr + 0.6 Sg + 0.06 Sb =
  // 0.03 Sr + 0.11 Sg + 0.79 Sb = 1 gives Sg = 1.11684, so Y of green is 0.67011.
  const Row green = values(file("-Y 1 +X 1", {58, 120, 22, 136}, head), 1);
  ASSERT_EQ(green.size(), 4u);
  EXPECT_NEAR(green[0], 0, 1e-3);
  EXPECT_NEAR(green[1], 120 / 0.67011, 0.05);
  EXPECT_NEAR(green[2], 0, 1e-3);
}

TEST(Radiance, WhatIsBrokenIsRefused) {
  const auto message = [](const ByteList& bytes) {
    const base::Diagnostic d = refused(bytes);
    EXPECT_EQ(d.id, "hdr-data");
    return d.message;
  };
  const ByteList pixel{1, 2, 3, 136};
  EXPECT_THAT(message(file("-Y 1 +X 1", pixel, "#?RADIANCE\nFORMAT=64-bit\n\n")), HasSubstr("'64-bit'"));
  EXPECT_THAT(message({'#', '?', 'R', '\n', 'A', '=', '1'}), HasSubstr("no end"));
  for (const char* resolution : {"", "-Y 1", "-Y 1 +Y 1", "Y 1 X 1", "-Y 1 +X", "-Y 0 +X 1", "-Y 1 +X 1 +Z 1",
                                 "-Y 99999999999 +X 1", "-Y -1 +X 1"})
    EXPECT_THAT(message(file(resolution, pixel)), HasSubstr("no resolution")) << resolution;
  EXPECT_THAT(message(file("-Y 16000 +X 16000", pixel)), HasSubstr("do not fit"));
  EXPECT_THAT(message(file("-Y 1 +X 2", {1, 2, 3, 4, 5, 6, 7})), HasSubstr("do not fit"));
  EXPECT_THAT(message(file("-Y 1 +X 3", {1, 2, 3, 4, 5, 6, 7, 8})), HasSubstr("ends within"));
  EXPECT_THAT(message(file("-Y 1 +X 2", {1, 1, 1, 1, 1, 2, 3, 4})), HasSubstr("begins with a repetition"));
  EXPECT_THAT(message(file("-Y 1 +X 2", {1, 2, 3, 4, 1, 1, 1, 9})), HasSubstr("9 repetitions"));
  EXPECT_THAT(message(file("-Y 1 +X 8", {2, 2, 0, 9, 0, 0, 0, 0})), HasSubstr("9 pixels in a picture of 8"));
  EXPECT_THAT(message(file("-Y 1 +X 8", {2, 2, 0, 8, 128 + 9, 0, 0, 0})), HasSubstr("a run of 9"));
  EXPECT_THAT(message(file("-Y 1 +X 8", {2, 2, 0, 8, 0, 0, 0, 0})), HasSubstr("a run of 0"));
  EXPECT_THAT(message(file("-Y 1 +X 8", {2, 2, 0, 8, 8, 1, 2, 3})), HasSubstr("ends within"));
}

}  // namespace
}  // namespace heddle::image
