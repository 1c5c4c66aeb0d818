// SPDX-License-Identifier: MIT
// Every value of the formats' channels through the vector functions: decoded by ld, encoded by target writes (NUM-10 to
// NUM-18, NUM-50 to NUM-60).

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "render_target/simd/prepared.hpp"
#include "texture/simd/block_texels.hpp"
#include "texture/simd_cases.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

using namespace render_target;

texture::simd::InstructionSet target_of(unsigned n) { return static_cast<texture::simd::InstructionSet>(n); }

/// 65536 texels whose words are the value, spread over the whole element, times an odd number for wide formats.
image::Surface all_values(std::string_view format) {
  image::Surface s = make2d(format, 256, 256);
  const std::uint32_t bytes = s.info().bytes_per_element();
  for (std::uint32_t v = 0; v < 65536; ++v)
    for (std::uint32_t k = 0; k < bytes; ++k) {
      const std::uint32_t word = bytes <= 2 ? v : v * (k / 2 == 0 ? 0x10001u : 0x9e3779b1u);
      (*s.memory)[std::size_t{v} * bytes + k] = static_cast<std::uint8_t>(word >> (8 * (k % 4)));
    }
  return s;
}

TEST(Lanes, EveryValueOfAChannelIsDecodedAsByTheReference) {
  for (const std::string_view format :
       {"R8_UNORM", "R8_SNORM", "R16_UNORM", "R16_SNORM", "R16_FLOAT", "R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB",
        "R10G10B10A2_UNORM", "R11G11B10_FLOAT", "R9G9B9E5_SHAREDEXP", "R24_UNORM_X8_TYPELESS", "B5G6R5_UNORM",
        "B5G5R5A1_UNORM", "B4G4R4A4_UNORM", "R16G16B16A16_SNORM", "R16G16_UNORM", "L16_UNORM", "A8_UNORM"}) {
    const image::Surface s = all_values(format);
    LaneRequest request;
    request.op = Op::LdLz;
    request.simd = 32;
    request.surface = &s;
    OperationContext context;
    const auto prepared = texture::simd::prepare(request, context);
    ASSERT_TRUE(texture::simd::is_fast(*prepared)) << format;
    LaneWords x{}, y{};
    request.set(Param::U, x);
    request.set(Param::V, y);
    for (std::uint32_t first = 0; first < 65536; first += 32) {
      for (std::uint32_t k = 0; k < 32; ++k) x[k] = (first + k) % 256, y[k] = first / 256;
      const LaneResult expected = execute_any(request, context);
      for (unsigned n = 0; n <= static_cast<unsigned>(texture::simd::best_instruction_set()); ++n) {
        const Difference d =
            compare_results(expected, texture::simd::run(*prepared, request, context, target_of(n)), 32);
        ASSERT_FALSE(d.found) << format << " value " << first + d.lane << " target " << n;
      }
    }
  }
}

/// The texels of a level, 32 at a time, as the reference unit loads them.
::testing::AssertionResult loads_as_the_reference(const image::Surface& s) {
  LaneRequest request;
  request.op = Op::LdLz;
  request.simd = 32;
  request.surface = &s;
  OperationContext context;
  const auto prepared = texture::simd::prepare(request, context);
  if (!texture::simd::is_fast(*prepared)) return ::testing::AssertionFailure() << "not in the functions";
  LaneWords x{}, y{};
  request.set(Param::U, x);
  request.set(Param::V, y);
  for (std::uint32_t first = 0; first < s.width * s.height; first += 32) {
    for (std::uint32_t k = 0; k < 32; ++k) x[k] = (first + k) % s.width, y[k] = (first + k) / s.width;
    const LaneResult expected = execute_any(request, context);
    for (unsigned n = 0; n <= static_cast<unsigned>(texture::simd::best_instruction_set()); ++n) {
      const Difference d = compare_results(expected, texture::simd::run(*prepared, request, context, target_of(n)), 32);
      if (d.found) return ::testing::AssertionFailure() << "texel " << first + d.lane << " target " << n;
    }
  }
  return ::testing::AssertionSuccess();
}

// Blocks are kept by their bytes: what stands in memory later counts, also where formats take turns.
TEST(Lanes, TexelsOfBlocksAreThoseOfTheMemory) {
  std::vector<image::Surface> surfaces;
  for (const image::FormatInfo& info : image::all_formats())
    if (texture::simd::lies_in_blocks(info) && info.sampleable()) surfaces.push_back(make2d(info.name, 27, 23));
  ASSERT_GT(surfaces.size(), 40u);
  Random random(31);
  for (unsigned round = 0; round < 3; ++round)
    for (image::Surface& s : surfaces) {
      for (auto& byte : *s.memory) byte = static_cast<std::uint8_t>(round == 2 ? 0 : random.word());
      ASSERT_TRUE(loads_as_the_reference(s)) << s.info().name << " round " << round;
    }
}

/// The texels of a level, sampled at their middles as by the reference unit.
::testing::AssertionResult samples_as_the_reference(const image::Surface& s, bool srgb_decode) {
  image::Sampler sampler;
  sampler.srgb_decode = srgb_decode;
  LaneRequest request;
  request.op = Op::SampleLz;
  request.simd = 32;
  request.surface = &s;
  request.sampler = &sampler;
  LaneWords u{}, v{};
  request.set(Param::U, u);
  request.set(Param::V, v);
  for (std::uint32_t first = 0; first < s.width * s.height; first += 32) {
    for (std::uint32_t k = 0; k < 32; ++k) {
      u[k] = std::bit_cast<std::uint32_t>((static_cast<float>((first + k) % s.width) + 0.5f) /
                                          static_cast<float>(s.width));
      v[k] = std::bit_cast<std::uint32_t>((static_cast<float>((first + k) / s.width) + 0.5f) /
                                          static_cast<float>(s.height));
    }
    OperationContext context;
    const LaneResult expected = execute_any(request, context);
    const auto prepared = texture::simd::prepare(request, context);
    if (!texture::simd::is_fast(*prepared)) return ::testing::AssertionFailure() << "not in the functions";
    const Difference d = compare_results(
        expected, texture::simd::run(*prepared, request, context, texture::simd::best_instruction_set()), 32);
    if (d.found) return ::testing::AssertionFailure() << "texel " << first + d.lane;
  }
  return ::testing::AssertionSuccess();
}

// Few formats, so that all of their blocks stay: the same bytes mean other texels in each of them and with and without
// sRGB decoding, and they change where they lie.
TEST(Lanes, BlocksAreKeptByBytesFormatAndDecoding) {
  std::vector<image::Surface> surfaces;
  for (const std::string_view format : {"BC7_UNORM_SRGB", "BC7_UNORM", "BC1_UNORM_SRGB", "BC1_UNORM", "BC3_UNORM"}) {
    surfaces.push_back(make2d(format, 16, 8));
    if (surfaces.front().memory->size() >= surfaces.back().memory->size()) surfaces.back().memory = surfaces[0].memory;
  }
  Random random(33);
  for (auto& byte : *surfaces[0].memory) byte = static_cast<std::uint8_t>(random.word());
  for (unsigned round = 0; round < 6; ++round) {
    for (const image::Surface& s : surfaces)
      for (const bool srgb_decode : {true, false})
        ASSERT_TRUE(samples_as_the_reference(s, srgb_decode))
            << s.info().name << " round " << round << (srgb_decode ? "" : ", not decoded");
    (*surfaces[0].memory)[random.word() % surfaces[0].memory->size()] ^= 1u << random.word() % 8;
  }
}

// Each thread keeps so many bytes of decoded blocks, those of the formats that it used last.
TEST(Lanes, BlocksOfTheFormatsUsedLastAreKept) {
  const image::Surface often = make2d("BC1_UNORM", 16, 8);
  Random random(34);
  for (auto& byte : *often.memory) byte = static_cast<std::uint8_t>(random.word());
  ASSERT_TRUE(loads_as_the_reference(often));
  std::uint64_t decoded = 0;
  for (const image::FormatInfo& info : image::all_formats()) {
    if (!texture::simd::lies_in_blocks(info) || !info.sampleable() || info.name == "BC1_UNORM") continue;
    const image::Surface other = make2d(info.name, 12, 12);
    ASSERT_TRUE(loads_as_the_reference(other)) << info.name;
    const texture::simd::BlockCounts before = texture::simd::block_counts();
    EXPECT_LE(before.bytes, texture::simd::kKeptBlockBytes) << info.name;
    ASSERT_TRUE(loads_as_the_reference(often));
    decoded += texture::simd::block_counts().decoded - before.decoded;
  }
  EXPECT_EQ(decoded, 0u);
}

TEST(Lanes, UnormDivisionIsExactForEveryValueOf24Bits) {
  image::Surface s = make2d("R24_UNORM_X8_TYPELESS", 256, 16);
  LaneRequest request;
  request.op = Op::LdLz;
  request.simd = 32;
  request.surface = &s;
  OperationContext context;
  const auto prepared = texture::simd::prepare(request, context);
  ASSERT_TRUE(texture::simd::is_fast(*prepared));
  LaneWords x{}, y{};
  request.set(Param::U, x);
  request.set(Param::V, y);
  const std::uint32_t step = std::getenv("HEDDLE_TEST_ALL") != nullptr ? 1 : 61;
  for (std::uint32_t value = 0; value < 0x1000000; value += 4096 * step) {
    for (std::uint32_t k = 0; k < 4096; ++k) {
      const std::uint32_t word = value + k * step;
      std::memcpy(s.memory->data() + 4 * std::size_t{k}, &word, 4);
    }
    for (std::uint32_t first = 0; first < 4096; first += 32) {
      for (std::uint32_t k = 0; k < 32; ++k) x[k] = (first + k) % 256, y[k] = first / 256;
      for (unsigned n = 0; n <= static_cast<unsigned>(texture::simd::best_instruction_set()); ++n) {
        const LaneResult result = texture::simd::run(*prepared, request, context, target_of(n));
        for (std::uint32_t k = 0; k < 32; ++k) {
          const std::uint32_t stored = (value + (first + k) * step) & 0xffffffu;
          ASSERT_EQ(f(result, 0, k), static_cast<float>(stored) / 16777215.0f) << stored << " target " << n;
        }
      }
    }
  }
}

TEST(Lanes, FloatsOfAllSizesAreEncodedAsByTheReference) {
  for (const std::string_view format : {"R8_UNORM", "R8_SNORM", "R16_UNORM", "R16_SNORM", "R16_FLOAT", "R32_FLOAT",
                                        "R11G11B10_FLOAT", "R8G8B8A8_UNORM_SRGB", "R10G10B10A2_UNORM", "R8_UINT",
                                        "R16_SINT", "R8G8B8A8_UINT", "R16G16B16A16_FLOAT", "B5G6R5_UNORM"}) {
    image::Surface expected = make2d(format, 8, 2);
    RenderTargetMessage m;
    m.simd = 16;
    m.last = true;
    for (std::uint32_t q = 0; q < 4; ++q) m.header.x[q] = 2 * q;
    m.r = m.g = m.b = m.a = SlotWords{};
    std::uint32_t bits = 0;
    const auto next = [&](SlotWords& words) {  // steps of an odd number through all binary32 values
      for (auto& word : words) word = bits += 0x1a2b3;
    };
    OperationContext context;
    const OutputState state;
    OutputTargets reference;
    reference.color = {&expected};
    for (unsigned n = 0; n <= static_cast<unsigned>(texture::simd::best_instruction_set()); ++n) {
      image::Surface actual = make2d(format, 8, 2);
      OutputTargets targets;
      targets.color = {&actual};
      const auto prepared = render_target::simd::prepare(targets, state, m, context);
      ASSERT_TRUE(render_target::simd::is_fast(*prepared)) << format;
      bits = 0;
      for (unsigned round = 0; round < 1000; ++round) {
        for (auto* channel : {&m.r, &m.g, &m.b, &m.a}) next(**channel);
        write_render_target(context, reference, state, m);
        render_target::simd::write(*prepared, m, context, target_of(n));
        ASSERT_EQ(*expected.memory, *actual.memory) << format << " round " << round << " target " << n;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::texture::test
