// SPDX-License-Identifier: MIT
// Queries through the layer against Heddle's texture unit: on lavapipe, which lacks the extension, and on Heddle's own
// device, which is made to do without it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "layer/layer_test.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

using texture::FootprintMode;
using texture::FootprintOptions;

class LayerFootprints : public LayerTest {};
HEDDLE_LAYER_SUITE(LayerFootprints);

FootprintOptions lenient() {
  FootprintOptions options;
  options.mode = FootprintMode::Lenient;
  options.max_lod_bias = 16;
  return options;
}

std::vector<LayerQuery> random_queries(unsigned dim, const texture::Coordinates3& size, std::size_t count,
                                       unsigned seed) {
  std::mt19937 random(seed);
  const auto between = [&](double low, double high) {
    return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random));
  };
  std::vector<LayerQuery> queries(count);
  for (LayerQuery& q : queries) {
    const bool dyadic = random() % 3 == 0;  // texel centers and edges
    const float reach = std::exp2(between(-2, 6));
    for (unsigned k = 0; k < dim; ++k) {
      q.p[k] = dyadic ? static_cast<float>(random() % 65) / 64 : between(-0.25, 1.25);
      q.dx[k] = between(-1, 1) * reach / static_cast<float>(size[k]);
      q.dy[k] = between(-1, 1) * reach / static_cast<float>(size[k]);
    }
    q.lod = random() % 4 == 0 ? static_cast<float>(random() % 16) / 2 - 1 : between(-1, 8);
    q.min_lod = random() % 4 == 0 ? 0 : between(0, 5);
    q.granularity = random() % 17;
  }
  return queries;
}

/// Samplers of all filters, and with limits and biases.
std::vector<VkSamplerCreateInfo> samplers() {
  std::vector<VkSamplerCreateInfo> all;
  for (unsigned k = 0; k < 8; ++k)
    all.push_back(sampler_info(static_cast<VkFilter>(k & 1u), static_cast<VkFilter>(k >> 1 & 1u),
                               static_cast<VkSamplerMipmapMode>(k >> 2)));
  all.push_back(all[7]);
  all.back().mipLodBias = 0.75f;
  all.push_back(all[7]);
  all.back().minLod = 1.25f;
  all.back().maxLod = 3.5f;
  all.push_back(all[2]);  // min LINEAR only, by a least level above 0
  all.back().minLod = 0.25f;
  return all;
}

void compare(QueryKit& kit, Form form, std::uint32_t sampler, const std::vector<LayerQuery>& queries) {
  const std::vector<AnswerPair> answers = kit.ask(form, sampler, queries);
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const AnswerPair expected = kit.expected(form, sampler, queries[k], lenient());
    for (unsigned coarse = 0; coarse < 2; ++coarse) {
      const texture::Footprint &a = answers[k][coarse], &e = expected[coarse];
      ASSERT_EQ(a, e) << "query " << k << " of form " << int(form) << ", sampler " << sampler << ", coarse " << coarse
                      << ", granularity " << queries[k].granularity << ": lod " << a.lod << " for " << e.lod
                      << ", mask " << std::hex << a.mask << " for " << e.mask << std::dec << ", anchor " << a.anchor[0]
                      << " " << a.anchor[1] << " for " << e.anchor[0] << " " << e.anchor[1] << ", single " << a.single;
    }
  }
}

// FP-3 to FP-14: every form of a compute shader, every filter.
TEST_P(LayerFootprints, AreThoseOfTheTextureUnitIn2D_FP5_FP8_FP11) {
  const QueryKit::Image image{2, {64, 64, 1}, 7};
  QueryKit kit(device(), image, samplers());
  const std::vector<LayerQuery> queries = random_queries(2, image.size, 2000, 1);
  for (std::uint32_t s = 0; s < samplers().size(); ++s) {
    for (const Form form : {Form::Lod, Form::Grad}) compare(kit, form, s, queries);
    if (s > 6)
      for (const Form form : {Form::Clamp, Form::GradClamp}) compare(kit, form, s, queries);
  }
}

TEST_P(LayerFootprints, OfSizesThatAreNoPowersOfTwo_FP15) {
  const QueryKit::Image image{2, {1023, 37, 1}, 10};
  QueryKit kit(device(), image, samplers());
  const std::vector<LayerQuery> queries = random_queries(2, image.size, 3000, 2);
  for (const std::uint32_t s : {0u, 7u, 8u})
    for (const Form form : {Form::Lod, Form::Grad}) compare(kit, form, s, queries);
}

TEST_P(LayerFootprints, AreThoseOfTheTextureUnitIn3D_FP11) {
  const QueryKit::Image image{3, {64, 32, 16}, 7};
  QueryKit kit(device(), image, samplers());
  const std::vector<LayerQuery> queries = random_queries(3, image.size, 2000, 3);
  for (const std::uint32_t s : {0u, 3u, 5u, 7u, 9u})
    for (const Form form : {Form::Lod, Form::Clamp}) compare(kit, form, s, queries);
}

TEST_P(LayerFootprints, WithAnOffsetOfTexels_FP21) {
  if (!have_program("spirv-dis")) GTEST_SKIP() << "spirv-dis is not installed (Debian: spirv-tools)";
  const QueryKit::Image image{2, {64, 64, 1}, 7};
  QueryKit kit(device(), image, samplers());
  for (const std::uint32_t s : {0u, 7u}) compare(kit, Form::LodOffset, s, random_queries(2, image.size, 1000, 4));
}

// Their constants are baked into the shader.
TEST_P(LayerFootprints, OfImmutableSamplers) {
  const QueryKit::Image image{2, {64, 64, 1}, 7};
  for (const std::uint32_t s : {0u, 6u, 8u, 9u}) {
    QueryKit kit(device(), image, {samplers()[s]}, true);
    compare(kit, Form::Lod, 0, random_queries(2, image.size, 500, 5));
  }
  QueryKit kit(device(), image, samplers(), true);  // an array of different ones, whose index is no constant
  compare(kit, Form::Lod, 6, random_queries(2, image.size, 500, 6));
}

// LOD-4: gradients whose logarithm is next to a level or between two of the 1/256 steps.
TEST_P(LayerFootprints, LevelsAreExactAtTheirEdges_LOD4) {
  const QueryKit::Image image{2, {64, 64, 1}, 7};
  QueryKit kit(device(), image, samplers());
  std::vector<LayerQuery> queries;
  for (int step = 0; step < 4000; ++step) {
    LayerQuery q;
    q.p = {0.37f, 0.61f, 0};
    float length = static_cast<float>(std::exp2((step / 3 + 0.5) / 256 + 0.3));  // squared: steps of 1/128
    for (int k = step % 3; k > 0; --k) length = std::nextafterf(length, 100.0f);
    q.dx = {length / 64, 0, 0};
    queries.push_back(q);
  }
  for (const std::uint32_t s : {3u, 7u}) compare(kit, Form::Grad, s, queries);
}

/// All groups of `inner` are groups of `outer`, which may be coarser.
bool contains(const texture::Footprint& outer, const texture::Footprint& inner, unsigned dim, std::uint32_t requested) {
  const auto boxes = [&](const texture::Footprint& f) {
    return *texture::granularity_size(dim, f.granularity != 0 ? f.granularity : requested);
  };
  const auto big = boxes(outer), small = boxes(inner);
  const auto groups = texture::decode(outer, dim);
  for (const texture::Group& g : texture::decode(inner, dim)) {
    const bool found = std::ranges::any_of(groups, [&](const texture::Group& o) {
      bool inside = true;
      for (unsigned k = 0; k < dim; ++k) inside &= g[k] * std::int64_t{small[k]} / big[k] == o[k];
      return inside;
    });
    if (!found) return false;
  }
  return true;
}

// FP-22: every texel that the texture unit reads is in the answer, and none that lies outside of the conservative one
// with twice its padding.
TEST_P(LayerFootprints, AnisotropicOnesContainTheTexels_FP22) {
  const QueryKit::Image image{2, {256, 256, 1}, 9};
  VkSamplerCreateInfo info = samplers()[7];
  info.anisotropyEnable = VK_TRUE;
  info.maxAnisotropy = 16;
  QueryKit kit(device(), image, {info});
  std::vector<LayerQuery> queries = random_queries(2, image.size, 3000, 7);
  for (LayerQuery& q : queries) q.granularity = 1 + q.granularity % 7;
  const std::vector<AnswerPair> answers = kit.ask(Form::Grad, 0, queries);
  FootprintOptions wide = lenient();
  wide.conservative = true;
  wide.pad_texels = 1.0 / 64;
  std::size_t compared = 0;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const AnswerPair exact = kit.expected(Form::Grad, 0, queries[k], lenient()),
                     widest = kit.expected(Form::Grad, 0, queries[k], wide);
    const texture::Footprint& fine = answers[k][0];
    if (fine.lod != exact[0].lod) continue;  // next to a whole level, where the answer is of two levels
    ++compared;
    EXPECT_TRUE(contains(fine, exact[0], 2, queries[k].granularity)) << "query " << k;
    EXPECT_TRUE(contains(widest[0], fine, 2, queries[k].granularity)) << "query " << k;
  }
  EXPECT_GT(compared, queries.size() * 9 / 10);
}

}  // namespace
}  // namespace heddle::test
