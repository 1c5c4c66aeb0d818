// SPDX-License-Identifier: MIT
// heddle/footprint.hpp: structures, lists, texels and maps; wrong arguments.
#include "heddle/footprint.hpp"

#include <gtest/gtest.h>

#include "library/ids.hpp"

namespace heddle {
namespace {

using test::id_of;

class LibraryFootprint : public testing::Test {
 protected:
  Image image = *Image::create({.width = 64, .height = 64})->with_mips();
  Sampler trilinear = *Sampler::parse("trilinear,clamp_to_edge");
  Sampler repeat = *Sampler::parse("trilinear,repeat");
  FootprintRequest center{.coordinate = {0.5f, 0.5f, 0}};
};

TEST_F(LibraryFootprint, OneSampleReadsFourTexels) {
  const auto texels = footprint_texels(image, trilinear, center);
  ASSERT_TRUE(texels.ok()) << to_text(texels.diagnostics());
  EXPECT_TRUE(texels->single_level);
  EXPECT_FALSE(texels->border);
  EXPECT_EQ(texels->granularity, 1u);
  EXPECT_EQ(texels->texels, (std::vector<GridPlace>{{31, 31, 0}, {32, 31, 0}, {31, 32, 0}, {32, 32, 0}}));
  EXPECT_EQ(texels->groups.size(), 4u);  // of 2 x 2 texels
  const auto answer = footprint(image, trilinear, center);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(__builtin_popcountll(answer->mask), 4);
  EXPECT_EQ(answer->lod, 0u);
  EXPECT_TRUE(answer->single_level);
}

TEST_F(LibraryFootprint, TwoLevelsAreAskedOneByOne) {
  FootprintRequest request = center;
  request.lod = 1.5f;
  EXPECT_FALSE(footprint(image, trilinear, request)->single_level);
  EXPECT_EQ(footprint(image, trilinear, request)->lod, 1u);
  request.coarse = true;
  EXPECT_EQ(footprint(image, trilinear, request)->lod, 2u);
  request.lod = 1;
  request.bias = 2;
  request.coarse = false;
  EXPECT_FALSE(footprint(image, trilinear, request).ok());  // strict: a bias needs implicit derivatives
  FootprintRequest steep = center;
  steep.gradients = {.dx = {0.25f, 0, 0}, .dy = {0, 0.25f, 0}};
  EXPECT_EQ(footprint(image, trilinear, steep)->lod, 4u);
}

/// FP-19: what the edge of a repeated image cuts is a structure for each part.
TEST_F(LibraryFootprint, ListsHaveTheirParts) {
  FootprintRequest corner{.coordinate = {0, 0, 0}};
  FootprintOptions extended;
  extended.mode = FootprintMode::Extended;
  const auto list = footprint_list(image, repeat, corner, extended);
  ASSERT_TRUE(list.ok()) << to_text(list.diagnostics());
  EXPECT_EQ(list->footprints.size(), 4u);
  EXPECT_EQ(footprint_list(image, trilinear, center)->footprints.size(), 1u);
}

/// FP-21.
TEST_F(LibraryFootprint, ModesDecideWhatIsRefused) {
  const auto strict = footprint(image, repeat, center);
  EXPECT_EQ(id_of(strict), "footprint-address-mode");
  Diagnostics warnings;
  FootprintOptions options;
  options.mode = FootprintMode::Lenient;
  options.warnings = &warnings;
  EXPECT_TRUE(footprint(image, repeat, center, options).ok());
  EXPECT_FALSE(warnings.empty());
  warnings.clear();
  options.mode = FootprintMode::Extended;
  EXPECT_TRUE(footprint(image, repeat, center, options).ok());
  EXPECT_TRUE(warnings.empty());
}

/// FP-22.
TEST_F(LibraryFootprint, ConservativeFootprintsHoldTheExactOne) {
  FootprintOptions options;
  options.conservative = true;
  FootprintRequest request = center;
  request.coordinate = {0.5f - 0.5f / 64, 0.5f - 0.5f / 64, 0};
  const auto exact = footprint_texels(image, trilinear, request);
  const auto padded = footprint_texels(image, trilinear, request, options);
  ASSERT_TRUE(exact.ok() && padded.ok());
  EXPECT_GT(padded->texels.size(), exact->texels.size());
  for (const GridPlace& texel : exact->texels)
    EXPECT_NE(std::find(padded->texels.begin(), padded->texels.end(), texel), padded->texels.end());
}

TEST_F(LibraryFootprint, GroupsHaveSizes) {
  EXPECT_EQ(group_size(2, 1), (GridPlace{2, 2, 1}));
  EXPECT_EQ(group_size(2, 11), (GridPlace{64, 64, 1}));
  EXPECT_EQ(group_size(2, 15), (GridPlace{256, 256, 1}));
  EXPECT_TRUE(group_size(3, 1).has_value());
  EXPECT_EQ(group_size(2, 0), std::nullopt);
  EXPECT_EQ(group_size(2, 9), std::nullopt);
  EXPECT_EQ(group_size(2, 16), std::nullopt);
  EXPECT_EQ(group_size(3, 2), std::nullopt);
  EXPECT_EQ(group_size(1, 1), std::nullopt);
  EXPECT_EQ(group_size(4, 1), std::nullopt);
}

TEST_F(LibraryFootprint, MapsCollectGroups) {
  auto map = FootprintMap::create(image, 1);
  ASSERT_TRUE(map.ok()) << to_text(map.diagnostics());
  EXPECT_EQ(map->touched_fraction(0), 0.0);
  map->insert(*footprint(image, trilinear, center));
  EXPECT_EQ(map->touched_groups(0).size(), 4u);
  EXPECT_EQ(map->touched_fraction(0), 4.0 / (32 * 32));
  EXPECT_TRUE(map->touched(0, {32, 31, 0}));
  EXPECT_FALSE(map->touched(0, {40, 31, 0}));
  map->insert_texel(6, {0, 0, 0});
  EXPECT_TRUE(map->touched(6, {0, 0, 0}));
  // Nothing outside the image.
  map->insert_texel(7, {0, 0, 0});
  map->insert_texel(0, {64, 0, 0});
  EXPECT_FALSE(map->touched(7, {0, 0, 0}));
  EXPECT_FALSE(map->touched(0, {64, 0, 0}));
  EXPECT_TRUE(map->touched_groups(99).empty());
  EXPECT_EQ(map->touched_fraction(99), 0.0);
  map->insert(Footprint{.mask = 1, .lod = 99});
}

TEST_F(LibraryFootprint, WrongArguments) {
  EXPECT_EQ(id_of(footprint(Image(), trilinear, center)), "usage-argument");
  EXPECT_EQ(id_of(footprint_list(Image(), trilinear, center)), "usage-argument");
  EXPECT_EQ(id_of(footprint_texels(Image(), trilinear, center)), "usage-argument");
  EXPECT_EQ(id_of(FootprintMap::create(Image(), 1)), "usage-argument");
  const auto cube = Image::create({.type = ImageType::Cube, .width = 4, .height = 4});
  EXPECT_EQ(id_of(footprint(*cube, trilinear, center)), "usage-argument");
  FootprintRequest request = center;
  request.granularity = 9;
  EXPECT_EQ(id_of(footprint(image, trilinear, request)), "footprint-granularity-value");
  EXPECT_EQ(id_of(FootprintMap::create(image, 0)), "footprint-granularity-value");
  request = center;
  request.coordinate[0] = __builtin_nanf("");
  EXPECT_EQ(id_of(footprint(image, trilinear, request)), "footprint-undefined-input");
  EXPECT_EQ(id_of(footprint(image, *Sampler::create({.unnormalized = true}), center)), "footprint-unnormalized");
  Limits small;
  small.memory_bytes = 10;
  EXPECT_EQ(id_of(FootprintMap::create(image, 1, small)), "limit-memory");
}

}  // namespace
}  // namespace heddle
