// SPDX-License-Identifier: MIT
// sRGB texels through the vector functions, in every way that some machine looks them up (NUM-21).

#include <gtest/gtest.h>

#include <string_view>

#include "base/half.hpp"
#include "image/formats/srgb.hpp"
#include "texture/simd/srgb_table.hpp"
#include "texture/simd_same.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

constexpr std::uint32_t kWidth = 512;

/// Each byte takes every value along a row.
image::Surface all_bytes(std::string_view format) {
  image::Surface s = make2d(format, kWidth, 2);
  constexpr std::uint32_t kSteps[] = {1, 3, 5, 7};
  for (std::uint32_t k = 0; k < kWidth * 2 * 4; ++k)
    (*s.memory)[k] = static_cast<std::uint8_t>(k / 4 * kSteps[k % 4] + k / (kWidth * 4) * 101 + k % 4 * 17);
  return s;
}

/// On machines without the permutations too.
TEST(LaneSrgb, TablesOfBytesHoldTheValues) {
  const simd::SrgbTable& table = simd::srgb_table();
  for (std::uint32_t v = 0; v < 256; ++v) {
    std::uint32_t bits = v < 128 ? table.high[v] : table.high_pairs[v / 2 - 64];
    for (unsigned k = 3; k-- > 0;) bits = bits << 8 | table.low[k][v];
    EXPECT_EQ(bits, base::bits_of(table.values[v])) << v;
    EXPECT_EQ(table.values[v], image::srgb_decode_table(8)[v]) << v;
  }
}

TEST(LaneSrgb, EveryValueInEveryLaneIsThatOfTheReference) {
  for (const std::string_view format : {"R8G8B8A8_UNORM_SRGB", "B8G8R8A8_UNORM_SRGB", "B8G8R8X8_UNORM_SRGB"}) {
    const image::Surface surface = all_bytes(format);
    for (const image::Filter filter : {image::Filter::Linear, image::Filter::Nearest})
      for (const std::uint32_t step : {1u, 3u})  // a run of texels, or none
        for (const unsigned simd : {8u, 16u, 32u}) {
          image::Sampler sampler;
          sampler.min_filter = sampler.mag_filter = filter;
          sampler.tcx = sampler.tcy = image::AddressMode::Wrap;
          sampler.set_api_rounding();
          LaneRequest request;
          request.op = Op::SampleLz;
          request.simd = simd;
          request.surface = &surface;
          request.sampler = &sampler;
          LaneWords u{}, v{};
          request.set(Param::U, u);
          request.set(Param::V, v);
          for (std::uint32_t first = 0; first < 256; ++first) {
            const float part = first % 2 == 0 ? 0.5f : 0.75f;  // texels themselves, or something between four
            for (std::uint32_t k = 0; k < simd; ++k) {
              u[k] = base::bits_of((static_cast<float>(first + k * step) + part) / static_cast<float>(kWidth));
              v[k] = base::bits_of(part / 2);
            }
            ASSERT_TRUE(same_in_every_way(request)) << format << " filter " << static_cast<int>(filter) << " SIMD"
                                                    << simd << " step " << step << " from " << first;
          }
        }
  }
}

TEST(LaneSrgb, LoadedAndGatheredTexelsAreThoseOfTheReference) {
  const image::Surface surface = all_bytes("R8G8B8A8_UNORM_SRGB");
  image::Sampler sampler;
  sampler.tcx = sampler.tcy = image::AddressMode::Wrap;
  LaneWords x{}, y{}, u{}, v{};
  LaneRequest load, gather;
  load.op = Op::LdLz;
  gather.op = Op::Gather4;
  gather.sampler = &sampler;
  load.surface = gather.surface = &surface;
  load.simd = gather.simd = 16;
  load.set(Param::U, x);
  load.set(Param::V, y);
  gather.set(Param::U, u);
  gather.set(Param::V, v);
  for (std::uint32_t first = 0; first < 256; ++first)
    for (const std::uint32_t step : {1u, 3u}) {
      for (std::uint32_t k = 0; k < 16; ++k) {
        x[k] = first + k * step;
        u[k] = base::bits_of((static_cast<float>(x[k]) + 0.8f) / static_cast<float>(kWidth));
        v[k] = base::bits_of(0.4f);
      }
      ASSERT_TRUE(same_in_every_way(load)) << "from " << first << " step " << step;
      for (unsigned channel = 0; channel < 4; ++channel) {
        gather.source_channel = channel;
        ASSERT_TRUE(same_in_every_way(gather)) << "channel " << channel << " from " << first << " step " << step;
      }
    }
}

}  // namespace
}  // namespace heddle::texture::test
