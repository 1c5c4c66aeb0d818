// SPDX-License-Identifier: MIT
// Loads of single samples through the vector functions (LD-5, LD-7): every format, count of samples and layer, inside
// and outside, on memory that ends with the last texel. Surfaces with an MCS are the reference's.

#include <gtest/gtest.h>

#include "texture/simd_same.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

using image::Surface;
using image::SurfaceType;

/// Of any state that loads of samples know; nothing where it does not fit together.
bool make_surface(image::Format format, std::uint32_t samples, Random& random, Surface& s) {
  s = {};
  s.format = format;
  s.width = 1 + random.below(random.below(2) != 0 ? 70 : 5);
  s.height = 1 + random.below(9);
  s.array = random.below(2) != 0;
  s.view_layers = s.array ? 1 + random.below(4) : 1;
  s.min_array_element = random.below(3);
  s.layers = s.min_array_element + s.view_layers + random.below(2);
  s.samples = samples;
  if (!image::allocate(s).ok() || !s.memory || s.memory->size() < 4) return false;
  end_with_last_texel(s);
  for (std::uint8_t& byte : *s.memory) byte = static_cast<std::uint8_t>(random.word());
  return true;
}

/// Most lanes inside, some a little or far outside.
LaneWords places(std::uint32_t size, Random& random) {
  LaneWords words{};
  for (auto& word : words)
    word = random.below(12) == 0 ? random.word() : random.below(6) == 0 ? random.below(size + 3) : random.below(size);
  return words;
}

/// A load of every lane's own sample, or the MCS value of its pixel.
struct SampleLoad {
  SampleLoad(const Surface& surface, Op op, Random& random)
      : u(places(surface.width, random)), v(places(surface.height, random)), r(places(surface.view_layers, random)) {
    for (auto& word : sample) word = random.below(8) == 0 ? random.word() : random.below(surface.samples + 2);
    for (auto& word : control) word = random.word();
    for (auto& word : level) word = random.below(6) == 0 ? random.word() : 0;
    request.op = op;
    request.simd = 8u << random.below(3);
    request.active = random.below(3) == 0 ? random.word() : ~0u;
    request.surface = &surface;
    request.null_mask = random.below(2) != 0;
    if (random.below(3) == 0)
      for (auto& by : request.offset) by = static_cast<std::int32_t>(random.below(7)) - 3;
    request.set(Param::U, u);
    request.set(Param::V, v);
    if (random.below(8) != 0) request.set(Param::R, r);
    request.set(Param::Lod, level);
    if (op == Op::LdMcs) return;
    request.set(Param::Si, sample);
    request.set(Param::McsL, control);
    request.set(Param::McsH, control);
  }
  LaneWords u, v, r, sample{}, control{}, level{};
  LaneRequest request;
};

TEST(LaneSamples, EveryFormatAndCountIsAsByTheReference) {
  Random random(21);
  unsigned formats = 0;
  for (const image::FormatInfo& info : image::all_formats())
    for (const std::uint32_t samples : {1u, 2u, 4u, 8u, 16u}) {
      Surface s;
      if (!make_surface(info.format, samples, random, s)) continue;
      OperationContext context;
      const auto plain = simd::prepare(Call(Op::LdLz, s).request, context);
      if (!simd::is_fast(*plain)) continue;           // a format that the kernels don't have
      if (plain->static_state.blocks != 0) continue;  // blocks have one sample
      formats += samples == 8 ? 1 : 0;
      for (const Op op : {Op::Ld2dmsW, Op::LdMcs})
        ASSERT_TRUE(same_in_every_way(SampleLoad(s, op, random).request))
            << info.name << ' ' << samples << " samples, " << operation(op).name;
    }
  EXPECT_GT(formats, 100u);
}

TEST(LaneSamples, ManyStates) {
  Random random(22);
  for (unsigned n = 0; n < 600; ++n) {
    constexpr std::string_view kFormats[] = {"R32G32B32A32_UINT", "R8G8B8A8_UNORM_SRGB", "R16_FLOAT", "R8_SINT",
                                             "R32_FLOAT",         "R10G10B10A2_UNORM",   "R8G8_UNORM"};
    Surface s;
    if (!make_surface(format_named(kFormats[random.below(7)]), 1u << random.below(5), random, s)) continue;
    const Op op = random.below(4) == 0 ? Op::LdMcs : Op::Ld2dmsW;
    ASSERT_TRUE(same_in_every_way(SampleLoad(s, op, random).request)) << s.info().name << ", case " << n;
  }
}

// LD-6: which slice a sample lies in, or that it is clear, is looked up by the reference alone.
TEST(LaneSamples, AnMcsIsLeftToTheReference) {
  Surface s = make(SurfaceType::Dim2, "R8_UINT", 4, 4, 1, 1, 1, false, 4);
  s.mcs = std::make_shared<std::vector<std::vector<std::uint8_t>>>(1, std::vector<std::uint8_t>(16));
  OperationContext context;
  for (const Op op : {Op::Ld2dmsW, Op::LdMcs})
    EXPECT_FALSE(simd::is_fast(*simd::prepare(Call(op, s).request, context)));
}

// The samples of the last pixel that is read lie beyond the memory: C22 is the reference's to report.
TEST(LaneSamples, SamplesBeyondTheMemoryAreLeftToTheReference) {
  Surface s = make(SurfaceType::Dim2, "R8_UINT", 4, 4, 1, 1, 1, false, 4);
  s.memory->resize(s.memory->size() - 1);
  OperationContext context;
  EXPECT_FALSE(simd::is_fast(*simd::prepare(Call(Op::Ld2dmsW, s).request, context)));
  EXPECT_TRUE(simd::is_fast(*simd::prepare(Call(Op::LdLz, s).request, context)));  // sample 0 is there
}

}  // namespace
}  // namespace heddle::texture::test
