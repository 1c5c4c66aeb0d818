// SPDX-License-Identifier: MIT
// heddle/texture.hpp: gather, sample, load, queries, sample_unorm and operations by name; wrong arguments.
#include "heddle/texture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "library/ids.hpp"

namespace heddle {
namespace {

using test::id_of;

/// 4 x 4 texels with the values 0 to 15 in R, 100 more in G; the last level has 7.5.
class LibraryTexture : public testing::Test {
 protected:
  LibraryTexture() {
    auto made = Image::create({.format = "R32G32_FLOAT", .width = 4, .height = 4});
    for (std::uint32_t i = 0; i < 16; ++i)
      made->set_texel({.x = i % 4, .y = i / 4}, {static_cast<float>(i), static_cast<float>(100 + i), 0, 1});
    image = *made->with_mips();
  }
  Image image;
  Sampler linear = *Sampler::parse("linear,repeat,mip=linear");
};

std::uint32_t bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }

TEST_F(LibraryTexture, GatherGivesTheFourTexelsOfOneChannel) {
  EXPECT_EQ(*gather(image, linear, {.u = 0.5f, .v = 0.5f}), Color::of({9, 10, 6, 5}));  // GA-4
  GatherOptions green;
  green.channel = 1;
  EXPECT_EQ((*gather(image, linear, {.u = 0.5f, .v = 0.5f}, green))[0], 109.0f);
  GatherOptions level;
  level.lod = 2;
  EXPECT_EQ(*gather(image, linear, {.u = 0.5f, .v = 0.5f}, level), Color::of({7.5f, 7.5f, 7.5f, 7.5f}));
  GatherOptions moved;
  moved.offset = {1, 0, 0};
  EXPECT_EQ(*gather(image, linear, {.u = 0.5f, .v = 0.5f}, moved), Color::of({10, 11, 7, 6}));
  GatherOptions compared;
  compared.reference = 6.5f;
  const auto less = Sampler::parse("nearest,repeat,compare_op=less");
  EXPECT_EQ(*gather(image, *less, {.u = 0.5f, .v = 0.5f}, compared), Color::of({1, 1, 0, 0}));
}

// Without a comparison all have one answer: whoever asked for warnings is told.
TEST_F(LibraryTexture, ComparisonsNeedASamplerThatCompares) {
  const Sampler less = *Sampler::parse("nearest,repeat,compare_op=less");
  Diagnostics warnings;
  GatherOptions four;
  SampleOptions one;
  four.reference = one.reference = 6.5f;
  four.warnings = one.warnings = &warnings;
  const LaneOperation known{.name = "sample_c_lz", .lanes = 8, .parameters = {{"ref", {bits(6.5f)}}}};
  ASSERT_TRUE(gather(image, less, {.u = 0.5f}, four).ok());
  ASSERT_TRUE(sample(image, less, {.u = 0.5f}, one).ok());
  ASSERT_TRUE(execute(image, less, known, one).ok());
  EXPECT_TRUE(warnings.empty()) << to_text(warnings);
  ASSERT_TRUE(gather(image, linear, {.u = 0.5f}, four).ok());
  ASSERT_TRUE(sample(image, linear, {.u = 0.5f}, one).ok());
  ASSERT_TRUE(execute(image, linear, known, one).ok());
  ASSERT_EQ(warnings.size(), 3u);
  for (const Diagnostic& d : warnings) {
    EXPECT_EQ(d.id, "bind-compare");
    EXPECT_EQ(d.severity, Severity::Warning);
    EXPECT_THAT(d.message, testing::HasSubstr("compares, and the sampler names no comparison"));
  }
}

TEST_F(LibraryTexture, SampleFiltersByLevelAndGradients) {
  EXPECT_EQ((*sample(image, linear, {.u = 0.5f, .v = 0.5f}))[0], 7.5f);
  EXPECT_EQ((*sample(image, linear, {.u = 0.375f, .v = 0.375f}))[0], 5.0f);
  SampleOptions between;
  between.lod = 1.5f;
  EXPECT_EQ((*sample(image, linear, {.u = 0.25f, .v = 0.25f}, between))[0], (2.5f + 7.5f) / 2);
  SampleOptions steep;
  steep.gradients = {.dx = {1, 0, 0}, .dy = {0, 1, 0}};
  EXPECT_EQ((*sample(image, linear, {.u = 0.1f, .v = 0.9f}, steep))[0], 7.5f);
}

TEST_F(LibraryTexture, ManyPointsGiveTheSameBits) {
  std::vector<Point> points;
  for (int i = 0; i < 37; ++i)
    points.push_back({.u = 0.37f * static_cast<float>(i), .v = 0.21f * static_cast<float>(i)});
  std::vector<Color> colors(points.size());
  ASSERT_TRUE(sample(image, linear, points, colors, 0.7f).ok());
  SampleOptions options;
  options.lod = 0.7f;
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(colors[i], *sample(image, linear, points[i], options)) << i;
  EXPECT_TRUE(sample(image, linear, std::span<const Point>(), std::span<Color>()).ok());
}

TEST_F(LibraryTexture, ReadsAreInOrder) {
  std::vector<TexelRead> reads;
  GatherOptions options;
  options.reads = &reads;
  ASSERT_TRUE(gather(image, linear, {.u = 0.5f, .v = 0.5f}, options).ok());
  ASSERT_EQ(reads.size(), 4u);
  for (const TexelRead& read : reads) {
    EXPECT_TRUE(read.place.x == 1 || read.place.x == 2);
    EXPECT_EQ(read.place.level, 0u);
  }
}

TEST_F(LibraryTexture, LoadIsZeroOutside) {
  EXPECT_EQ((*load(image, {.x = 3, .y = 2}))[0], 11.0f);
  EXPECT_EQ((*load(image, {.level = 2}))[0], 7.5f);
  EXPECT_EQ((*load(image, {.x = 4, .y = 0}))[0], 0.0f);
  EXPECT_EQ((*load(image, {.level = 3}))[0], 0.0f);
  OperationOptions moved;
  moved.offset = {-1, 1, 0};
  EXPECT_EQ((*load(image, {.x = 3, .y = 2}, moved))[0], 14.0f);
}

TEST_F(LibraryTexture, QueriesTellSizesLevelsAndSamples) {
  const auto size = query_size(image, 1);
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->width, 2u);
  EXPECT_EQ(size->height, 2u);
  EXPECT_EQ(size->levels, 3u);
  EXPECT_EQ(query_size(image, 3)->width, 0u);
  const auto volume = Image::create({.type = ImageType::Dim3, .width = 4, .height = 2, .depth = 8});
  EXPECT_EQ(query_size(*volume)->depth, 8u);
  const auto lines = Image::create({.type = ImageType::Dim1, .width = 4, .layers = 3});
  EXPECT_EQ(query_size(*lines)->layers, 3u);
  EXPECT_EQ(query_size(*lines)->height, 1u);
  EXPECT_EQ(query_samples(image)->samples, 1u);
  const auto four = Image::create({.width = 4, .height = 4, .samples = 4});
  EXPECT_EQ(query_samples(*four)->samples, 4u);
  const auto lod = query_lod(image, linear, {.dx = {4, 0, 0}, .dy = {0, 1, 0}});
  ASSERT_TRUE(lod.ok());
  EXPECT_EQ(lod->unclamped, 4.0f);
  EXPECT_EQ(lod->clamped, 2.0f);
}

/// UNO-1 to UNO-12: pixels of a block, the channels that are returned, the bytes of each form.
TEST_F(LibraryTexture, SampleUnormGivesABlock) {
  auto ramp = Image::create({.width = 8, .height = 4});
  for (std::uint32_t x = 0; x < 8; ++x)
    for (std::uint32_t y = 0; y < 4; ++y) ramp->set_texel({.x = x, .y = y}, {static_cast<float>(x == y), 1, 0, 1});
  UnormRequest request{.u = 1.0f / 16, .v = 1.0f / 8, .du = 1.0f / 8, .dv = 1.0f / 4};
  const auto block = sample_unorm(*ramp, Sampler(), request);
  ASSERT_TRUE(block.ok()) << to_text(block.diagnostics());
  for (unsigned p = 0; p < 32; ++p) {
    EXPECT_EQ(block->channels[0][p], p % 8 == p / 8 ? 0xFF00 : 0) << p;
    EXPECT_EQ(block->channels[1][p], 0xFF00) << p;
  }
  EXPECT_EQ(block->bytes.size(), 4u * 32 * 2);
  request.channels = {true, false, false, false};
  EXPECT_EQ(sample_unorm(*ramp, Sampler(), request)->bytes.size(), 32u * 2);
  request.channels = {};
  EXPECT_EQ(id_of(sample_unorm(*ramp, Sampler(), request)), "usage-argument");
  EXPECT_EQ(find_unorm_format("8-full"), UnormFormat::Full8);
  EXPECT_EQ(find_unorm_format("9-full"), std::nullopt);
  EXPECT_EQ(to_string(UnormFormat::Downsampled16), "16-downsampled");
}

TEST_F(LibraryTexture, OperationsRunByTheirNames) {
  LaneOperation operation{.name = "sample_lz", .lanes = 8, .active = 0x0F, .parameters = {}, .channel = 0};
  operation.parameters.emplace_back("u", std::vector<std::uint32_t>(8, bits(0.5f)));
  operation.parameters.back().second[1] = bits(0.375f);
  operation.parameters.emplace_back("v", std::vector<std::uint32_t>{bits(0.375f)});
  const auto answer = execute(image, linear, operation);
  ASSERT_TRUE(answer.ok()) << to_text(answer.diagnostics());
  EXPECT_EQ(answer->number_class, NumberClass::Float);
  EXPECT_EQ(answer->channels[0][0], bits(5.5f));
  EXPECT_EQ(answer->channels[0][1], bits(5.0f));
  EXPECT_EQ(answer->channels[1][1], bits(105.0f));
  EXPECT_EQ(answer->channels[0][4], 0u);  // takes no part
  LaneOperation query{.name = "resinfo", .parameters = {{"lod", {1}}}};
  EXPECT_EQ(execute(image, linear, query)->channels[0][3], 2u);
  EXPECT_EQ(execute(image, linear, query)->number_class, NumberClass::Uint);
}

TEST_F(LibraryTexture, OperationsTellTheirParameters) {
  const auto gather4 = find_operation("gather4_l_c");
  ASSERT_TRUE(gather4.has_value());
  EXPECT_EQ(gather4->family, OperationKind::Gather);
  EXPECT_THAT(gather4->parameters, testing::Contains("ref"));
  EXPECT_EQ(find_operation("gather5"), std::nullopt);
  EXPECT_GT(operations().size(), 40u);
  const auto unknown = execute(image, linear, {.name = "gather5", .parameters = {}});
  EXPECT_EQ(id_of(unknown), "usage-argument");
  EXPECT_THAT(to_text(unknown.diagnostics()), testing::HasSubstr("gather4"));
}

TEST_F(LibraryTexture, WrongLanesAndParameters) {
  const auto id = [&](const LaneOperation& operation) { return id_of(execute(image, linear, operation)); };
  EXPECT_EQ(id({.name = "sample_lz", .lanes = 7, .parameters = {}}), "usage-argument");
  EXPECT_EQ(id({.name = "gather4", .parameters = {}, .channel = 4}), "usage-argument");
  EXPECT_EQ(id({.name = "sample_lz", .parameters = {{"speed", {0}}}}), "usage-argument");
  EXPECT_EQ(id({.name = "sample_lz", .parameters = {{"dudx", {0}}}}), "usage-argument");
  EXPECT_EQ(id({.name = "sample_lz", .parameters = {{"u", {0, 1}}}}), "usage-argument");
  EXPECT_EQ(id({.name = "sample_lz", .parameters = {{"u", {}}}}), "usage-argument");
}

TEST_F(LibraryTexture, WrongArguments) {
  const Image none;
  EXPECT_EQ(id_of(sample(none, linear, {.u = 0.5f})), "usage-argument");
  EXPECT_EQ(id_of(gather(none, linear, {.u = 0.5f})), "usage-argument");
  EXPECT_EQ(id_of(load(none, {})), "usage-argument");
  EXPECT_EQ(id_of(query_size(none)), "usage-argument");
  EXPECT_EQ(id_of(query_samples(none)), "usage-argument");
  EXPECT_EQ(id_of(query_lod(none, linear, {})), "usage-argument");
  EXPECT_EQ(id_of(sample_unorm(none, linear, {})), "usage-argument");
  EXPECT_EQ(id_of(execute(none, linear, {.name = "ld", .parameters = {}})), "usage-argument");
  SampleOptions options;
  options.offset = {8, 0, 0};
  EXPECT_EQ(id_of(sample(image, linear, {}, options)), "usage-argument");
  options.offset = {7, -8, 0};
  EXPECT_TRUE(sample(image, linear, {}, options).ok());
  options.platform = "i915";
  EXPECT_EQ(id_of(sample(image, linear, {}, options)), "usage-argument");
  GatherOptions channel;
  channel.channel = 4;
  EXPECT_EQ(id_of(gather(image, linear, {}, channel)), "usage-argument");
  const std::vector<Point> points(3);
  std::vector<Color> colors(2);
  EXPECT_EQ(id_of(sample(image, linear, points, colors)), "usage-argument");
}

/// GA-2: gather4_l exists from XE2 on; others warn.
TEST_F(LibraryTexture, PlatformsAndWarnings) {
  Diagnostics warnings;
  GatherOptions options;
  options.lod = 0;
  options.warnings = &warnings;
  EXPECT_TRUE(gather(image, linear, {.u = 0.5f}, options).ok());
  EXPECT_TRUE(warnings.empty());
  options.platform = "skl";
  EXPECT_TRUE(gather(image, linear, {.u = 0.5f}, options).ok());
  ASSERT_FALSE(warnings.empty());
  EXPECT_EQ(warnings.front().severity, Severity::Warning);
  EXPECT_THAT(operation_platforms(), testing::Contains("dg2"));
}

}  // namespace
}  // namespace heddle
