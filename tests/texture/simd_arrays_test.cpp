// SPDX-License-Identifier: MIT
// Long arrays of coordinates have kernels of their own (texture/simd/functions/arrays.hpp): the reference's bits at
// every edge, for odd coordinates and any count, and nothing is written elsewhere (CRD-1, ADR-0..7, FLT-3).

#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <string_view>

#include "texture/simd_same.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

struct ArrayCase {
  std::string_view format;
  std::uint32_t width = 1, height = 1;
  std::uint8_t mode_u = 0, mode_v = 0;  ///< image::AddressMode
  bool non_normalized = false, rounds = true;
};
std::ostream& operator<<(std::ostream& out, const ArrayCase& c) {
  return out << c.format << ' ' << c.width << 'x' << c.height << " modes " << int{c.mode_u} << ' ' << int{c.mode_v}
             << (c.non_normalized ? " not normalized" : "") << (c.rounds ? "" : " cut off");
}

/// Mostly inside, often at an edge or around it, at times odd; one array in four is inside altogether.
std::vector<std::uint32_t> coordinates(std::size_t count, std::uint32_t size, bool normalized, Random& random) {
  constexpr float kOdd[] = {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            -0.0f,
                            1e-42f,
                            3e9f,
                            -3e9f,
                            8388607.5f,
                            -1048576.25f,
                            1048575.75f};
  const auto n = static_cast<float>(size);
  const bool inside = random.below(4) == 0;
  std::vector<std::uint32_t> words(count);
  for (auto& word : words) {
    const std::uint32_t kind = inside ? 9 : random.below(10);
    float at = static_cast<float>(random.below(size)) + random.unit();
    if (inside && size > 1) at = random.between(0.5f, n - 0.51f);
    if (kind == 0) at = static_cast<float>(random.below(6)) - 3.0f + random.unit();
    if (kind == 1) at = n + static_cast<float>(random.below(6)) - 3.0f + random.unit();
    if (kind == 2) at = random.between(-5 * n, 5 * n);
    if (kind == 3) at = kOdd[random.below(std::size(kOdd))];
    word = Cases<Random>::bits(normalized ? at / n : at);
  }
  return words;
}

image::Surface noise(const ArrayCase& c, Random& random) {
  image::Surface s = make2d(c.format, c.width, c.height);
  end_with_last_texel(s);
  const bool tame = random.below(2) == 0;
  for (std::uint8_t& byte : *s.memory) byte = static_cast<std::uint8_t>(random.word());
  if (tame && c.format == "R32_FLOAT")
    for (std::size_t k = 3; k < s.memory->size(); k += 4) (*s.memory)[k] = 0x3e;
  return s;
}

/// Four words of each element by the reference.
std::vector<std::uint32_t> by_reference(LaneRequest request, const std::vector<std::uint32_t>& u,
                                        const std::vector<std::uint32_t>& v) {
  std::vector<std::uint32_t> all(4 * u.size());
  for (std::size_t first = 0; first < u.size(); first += kMaxLanes) {
    const std::size_t lanes = std::min<std::size_t>(kMaxLanes, u.size() - first);
    LaneWords lane_u{}, lane_v{};
    std::copy_n(u.begin() + static_cast<std::ptrdiff_t>(first), lanes, lane_u.begin());
    std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(first), lanes, lane_v.begin());
    request.set(Param::U, lane_u);
    request.set(Param::V, lane_v);
    OperationContext context;
    const LaneResult result = execute(request, context);
    for (std::size_t k = 0; k < lanes; ++k)
      for (std::size_t c = 0; c < 4; ++c) all[4 * (first + k) + c] = result.channels[c][k];
  }
  return all;
}

constexpr std::size_t group_of(simd::InstructionSet target) {
  return target == simd::InstructionSet::Baseline ? 0 : target == simd::InstructionSet::V3 ? 8 : 16;
}

class LaneArrays : public ::testing::Test {
 protected:
  LaneArrays() {
    sampler_.min_filter = sampler_.mag_filter = image::Filter::Linear;
    sampler_.mip_filter = image::MipFilter::None;
    sampler_.set_api_rounding();
    request_.op = Op::SampleLz;
    request_.simd = kMaxLanes;
    request_.sampler = &sampler_;
  }

  void set(const ArrayCase& c, const image::Surface& surface) {
    request_.surface = &surface;
    sampler_.tcx = static_cast<image::AddressMode>(c.mode_u);
    sampler_.tcy = static_cast<image::AddressMode>(c.mode_v);
    sampler_.non_normalized = c.non_normalized;
    sampler_.round_min.fill(c.rounds);
    sampler_.round_mag.fill(c.rounds);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float border[] = {0.25f, -3.0f, c.rounds ? nan : 1e30f, -0.0f};
    for (std::size_t k = 0; k < 4; ++k) sampler_.border[k] = Cases<Random>::bits(border[k]);
  }

  void check(const ArrayCase& c, Random& random) {
    const image::Surface surface = noise(c, random);
    set(c, surface);
    const std::size_t count = 1 + random.below(300);
    const auto u = coordinates(count, c.width, !c.non_normalized, random),
               v = coordinates(count, c.height, !c.non_normalized, random);
    LaneWords none{};
    request_.set(Param::U, none);
    request_.set(Param::V, none);
    OperationContext context;
    const auto prepared = simd::prepare(request_, context);
    ASSERT_EQ(simd::is_fast(*prepared), surface.memory->size() >= 4) << c;
    if (!simd::is_fast(*prepared)) return;  // less than the word that is read
    const auto expected = by_reference(request_, u, v);
    static GuardedMemory guarded;
    for (unsigned n = 0; n <= static_cast<unsigned>(simd::best_instruction_set()); ++n)
      for (const bool at_the_end : {true, false}) {
        const auto target = static_cast<simd::InstructionSet>(n);
        prepared->dynamic_state.memory = guarded.place(*surface.memory, at_the_end);
        constexpr std::uint32_t kUntouched = 0xabcdef01;
        std::vector<std::uint32_t> out(4 * count + 64, kUntouched);
        const simd::ArrayPlaces at{u.data(), v.data(), out.data()};
        const std::size_t group = simd::sample_array(*prepared, at, count, target);
        ASSERT_EQ(group, group_of(target)) << c;
        const std::size_t done = group == 0 ? 0 : 4 * (count / group * group);
        for (std::size_t k = 0; k < out.size(); ++k)
          ASSERT_EQ(out[k], k < done ? expected[k] : kUntouched)
              << c << " target " << n << " element " << k / 4 << " of " << count << " channel " << k % 4;
      }
  }

  image::Sampler sampler_;
  LaneRequest request_;
};

/// Each way to a texel: whole words, parts of them, several; numbers of every kind.
constexpr std::string_view kFormats[] = {
    "R8G8B8A8_UNORM", "R32_FLOAT",         "B8G8R8A8_UNORM",     "B8G8R8X8_UNORM",     "R8G8B8A8_UNORM_SRGB",
    "R8G8B8A8_SNORM", "R10G10B10A2_UNORM", "R11G11B10_FLOAT",    "R9G9B9E5_SHAREDEXP", "R8_UNORM",
    "A8_UNORM",       "R8G8_SNORM",        "B5G6R5_UNORM",       "R16_UNORM",          "R16_FLOAT",
    "R16G16_UNORM",   "R16G16_FLOAT",      "R16G16B16A16_UNORM", "R16G16B16A16_SNORM", "R16G16B16A16_FLOAT",
    "R32G32_FLOAT",   "R32G32B32A32_FLOAT"};

TEST_F(LaneArrays, HaveTheBitsOfTheReference) {
  Random random(21);
  for (const std::string_view format : kFormats)
    for (const std::uint32_t width : {1u, 2u, 3u, 16u, 37u, 64u})
      for (const std::uint32_t height : {1u, 2u, 5u, 32u})
        for (std::uint8_t mode = 0; mode < 8; ++mode) {
          if (mode == static_cast<int>(image::AddressMode::HalfBorder)) continue;  // the reference's
          ArrayCase c{.format = format, .width = width, .height = height, .mode_u = mode};
          c.mode_v = random.below(2) == 0 ? mode : static_cast<std::uint8_t>(image::AddressMode::Wrap);
          c.rounds = random.below(4) != 0;
          c.non_normalized = mode == static_cast<int>(image::AddressMode::Clamp) && c.mode_v == mode && random.below(2);
          check(c, random);
          if (HasFatalFailure()) return;
        }
}

// Texels that are not near are asked for ahead.
TEST_F(LaneArrays, OfLargeSurfaces) {
  Random random(22);
  for (const std::string_view format : {"R8G8B8A8_UNORM", "R32_FLOAT", "R8_UNORM", "R16G16B16A16_FLOAT"})
    for (const auto mode : {image::AddressMode::Wrap, image::AddressMode::Clamp})
      for (int time = 0; time < 4; ++time) {
        check({.format = format,
               .width = 512u + random.below(2),
               .height = 300,
               .mode_u = static_cast<std::uint8_t>(mode),
               .mode_v = static_cast<std::uint8_t>(mode)},
              random);
        if (HasFatalFailure()) return;
      }
}

// What the kernels for arrays do not have is left to messages.
TEST_F(LaneArrays, LeaveOtherStatesToMessages) {
  std::size_t decoded = 0;  // texels of blocks, before it
  const auto group = [&](const image::Surface& surface, Op op = Op::SampleLz) {
    LaneRequest request = request_;
    request.op = op;
    request.surface = &surface;
    const LaneWords none{};
    request.set(Param::U, none);
    request.set(Param::V, none);
    OperationContext context;
    const auto prepared = simd::prepare(request, context);
    decoded = simd::texels_to_decode(*prepared, simd::best_instruction_set());
    return simd::sample_array(*prepared, {}, 0, simd::best_instruction_set());
  };
  const std::size_t whole = group_of(simd::best_instruction_set());
  const image::Surface plain = make2d("R8G8B8A8_UNORM", 8, 8), levels = make2d("R8G8B8A8_UNORM", 8, 8, 4);
  EXPECT_EQ(group(plain), whole);
  EXPECT_EQ(group(levels), whole);
  EXPECT_EQ(group(plain, Op::Lod), 0u);
  EXPECT_EQ(group(plain, Op::Gather4), 0u);
  EXPECT_EQ(group(plain, Op::SampleC), 0u);
  for (const std::string_view format : kFormats) EXPECT_EQ(group(make2d(format, 8, 8)), whole) << format;
  EXPECT_EQ(decoded, 0u);
  for (const std::string_view format : {"R8G8B8A8_UINT", "R32_UINT", "BC1_UNORM"})
    EXPECT_EQ(group(make2d(format, 8, 8)), 0u) << format;
  EXPECT_EQ(decoded, whole == 0 ? 0u : 64u);
  image::Surface swizzled = plain;
  std::swap(swizzled.swizzle[0], swizzled.swizzle[2]);
  EXPECT_EQ(group(swizzled), whole);
  EXPECT_EQ(group(make(image::SurfaceType::Dim2, "R8G8B8A8_UNORM", 8, 8, 1, 1, 2, true)), 0u);
  EXPECT_EQ(group(make(image::SurfaceType::Dim1, "R8G8B8A8_UNORM", 8)), 0u);
  EXPECT_EQ(group(make(image::SurfaceType::Dim3, "R8G8B8A8_UNORM", 8, 8, 8)), 0u);
  EXPECT_EQ(group(make(image::SurfaceType::Cube, "R8G8B8A8_UNORM", 8, 8, 1, 1, 6)), 0u);
  request_.offset[0] = 1;
  EXPECT_EQ(group(plain), 0u);
  request_.offset[0] = 0;
  sampler_.mip_filter = image::MipFilter::Linear;
  EXPECT_EQ(group(levels, Op::SampleL), 0u);
  sampler_.mip_filter = image::MipFilter::None;
  sampler_.min_filter = sampler_.mag_filter = image::Filter::Nearest;
  EXPECT_EQ(group(plain), 0u);
  sampler_.min_filter = sampler_.mag_filter = image::Filter::Linear;
  sampler_.reduction_enable = true;
  sampler_.reduction = image::Reduction::Minimum;
  EXPECT_EQ(group(plain), 0u);
}

}  // namespace
}  // namespace heddle::texture::test
