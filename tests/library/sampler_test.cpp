// SPDX-License-Identifier: MIT
// heddle/sampler.hpp: options and words give the same samplers; wrong values.
#include "heddle/sampler.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "heddle/texture.hpp"
#include "library/ids.hpp"

namespace heddle {
namespace {

using test::id_of;

/// Texel i of a row has the value i.
Image row(std::uint32_t width) {
  auto image = Image::create({.format = "R32_FLOAT", .width = width, .height = 1});
  for (std::uint32_t i = 0; i < width; ++i) image->set_texel({.x = i}, {static_cast<float>(i), 0, 0, 1});
  return *image;
}

float at(const Sampler& sampler, float u) { return (*sample(row(4), sampler, {.u = u, .v = 0.5f}))[0]; }

TEST(LibrarySampler, TheDefaultIsTheNearestTexelClamped) {
  EXPECT_EQ(at(Sampler(), 0.4f), 1.0f);
  EXPECT_EQ(at(Sampler(), 7.0f), 3.0f);
  EXPECT_EQ(at(*Sampler::create({}), 7.0f), 3.0f);
}

TEST(LibrarySampler, AddressModes) {
  const std::array<std::pair<AddressMode, float>, 5> expected{{{AddressMode::Repeat, 1},
                                                               {AddressMode::MirroredRepeat, 2},
                                                               {AddressMode::ClampToEdge, 3},
                                                               {AddressMode::ClampToBorder, 9},
                                                               {AddressMode::MirrorClampToEdge, 3}}};
  for (const auto& [mode, value] : expected) {
    SamplerOptions options;
    options.address.fill(mode);
    options.border = {9, 0, 0, 0};
    const auto sampler = Sampler::create(options);
    ASSERT_TRUE(sampler.ok()) << to_text(sampler.diagnostics());
    EXPECT_EQ(at(*sampler, 1.4f), value) << static_cast<int>(mode);
  }
}

TEST(LibrarySampler, WordsAndOptionsAreTheSameSampler) {
  SamplerOptions options;
  options.min = options.mag = Filter::Linear;
  options.address.fill(AddressMode::Repeat);
  const auto made = Sampler::create(options);
  const auto parsed = Sampler::parse("linear,repeat");
  ASSERT_TRUE(made.ok() && parsed.ok());
  for (const float u : {0.0f, 0.3f, 0.99f}) EXPECT_EQ(at(*made, u), at(*parsed, u)) << u;
  EXPECT_EQ(at(*made, 0.25f), 0.5f);
}

TEST(LibrarySampler, UnnormalizedCoordinatesAreTexels) {
  const auto sampler = Sampler::create({.unnormalized = true});
  ASSERT_TRUE(sampler.ok()) << to_text(sampler.diagnostics());
  EXPECT_TRUE(sampler->unnormalized());
  EXPECT_FALSE(Sampler().unnormalized());
  EXPECT_EQ(at(*sampler, 2.5f), 2.0f);
}

TEST(LibrarySampler, ComparisonsAndReductions) {
  const auto compare = Sampler::create({.compare = CompareOp::Less});
  ASSERT_TRUE(compare.ok());
  SampleOptions options;
  options.reference = 1.5f;
  EXPECT_EQ((*sample(row(4), *compare, {.u = 0.6f}, options))[0], 1.0f);  // 1.5 < 2
  EXPECT_EQ((*sample(row(4), *compare, {.u = 0.4f}, options))[0], 0.0f);
  SamplerOptions largest;
  largest.min = largest.mag = Filter::Linear;
  largest.reduction = Reduction::Max;
  EXPECT_EQ(at(*Sampler::create(largest), 0.5f), 2.0f);
}

/// CUB-4: a filter at the edge of a face takes texels of the next one, unless the sampler says otherwise.
TEST(LibrarySampler, CubesAreSeamlessUnlessToldOtherwise) {
  auto cube = Image::create({.type = ImageType::Cube, .format = "R32_FLOAT", .width = 2, .height = 2});
  ASSERT_TRUE(cube.ok());
  for (std::uint32_t face = 0; face < 6; ++face)
    for (std::uint32_t i = 0; i < 4; ++i)
      cube->set_texel({.x = i % 2, .y = i / 2, .slice = face}, {face == 0 ? 1.0f : 0.0f, 0, 0, 1});
  const Point edge{.u = 1, .v = 0, .r = 0.999f};  // on +X beside +Z
  SamplerOptions options;
  options.min = options.mag = Filter::Linear;
  EXPECT_LT((*sample(*cube, *Sampler::create(options), edge))[0], 0.6f);
  EXPECT_LT((*sample(*cube, *Sampler::parse("linear,clamp_to_edge"), edge))[0], 0.6f);
  options.seamless_cube = false;
  EXPECT_EQ((*sample(*cube, *Sampler::create(options), edge))[0], 1.0f);
}

/// NUM-73: levels beyond the field are clamped to it.
TEST(LibrarySampler, LevelsAreClamped) {
  auto image = row(8).with_mips();
  ASSERT_TRUE(image.ok());
  SampleOptions options;
  const auto level = [&](const SamplerOptions& o) { return (*sample(*image, *Sampler::create(o), {}, options))[0]; };
  EXPECT_EQ(level({.mip = MipFilter::Nearest, .lod_bias = 1e9f, .max_lod = 1e9f}), 3.5f);
  EXPECT_EQ(level({.mip = MipFilter::Nearest, .lod_bias = -1e9f}), 0.0f);
  EXPECT_EQ(level({.mip = MipFilter::Nearest, .min_lod = std::numeric_limits<float>::quiet_NaN()}), 0.0f);
}

TEST(LibrarySampler, WrongValues) {
  EXPECT_EQ(id_of(Sampler::create({.min = Filter::Anisotropic, .max_anisotropy = 5})), "sampler-value");
  EXPECT_EQ(id_of(Sampler::create({.min = static_cast<Filter>(77)})), "sampler-value");
  EXPECT_EQ(id_of(Sampler::parse("linaer")), "sampler-word");
  EXPECT_EQ(id_of(Sampler::parse("sharpness=3")), "sampler-key");
  EXPECT_EQ(id_of(Sampler::parse("max_lod=far")), "sampler-type");
}

}  // namespace
}  // namespace heddle
