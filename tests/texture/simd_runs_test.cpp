// SPDX-License-Identifier: MIT
// Lanes on neighboring texels, where the kernels have forms of their own: whole rows of loads, binary32 texels
// filtered as they lie in memory, anisotropic probes that are all runs (FLT-3, ANI-1, CRD-1, CRD-4).

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include "texture/simd_same.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }

struct RunCase {
  image::Surface surface;
  image::Sampler sampler;
  LaneRequest request;
  LaneWords u{}, v{}, lod{}, along{}, zero{}, across{};

  /// `odd`: the texels of wide formats hold NaN, infinities and -0 here and there.
  RunCase(std::string_view format, bool odd) {
    surface = make2d(format, 128, 32, 3);
    Random random(7);
    for (std::uint8_t& byte : *surface.memory) byte = static_cast<std::uint8_t>(random.word() >> 8);
    if (surface.info().bytes_per_element() == 16) {
      static constexpr std::uint32_t kOdd[] = {0x7f800000, 0xff800000, 0xffc12345, 0x80000000, 0x7f800001, 1};
      for (std::size_t k = 0; k + 4 <= surface.memory->size(); k += 4) {
        std::uint32_t word = bits_of(static_cast<float>(random.word() >> 8) * 0x1p-20f - 4);
        if (odd && random.word() % 40 == 0) word = kOdd[random.word() % 6];
        std::memcpy(surface.memory->data() + k, &word, 4);
      }
    }
    sampler.tcx = sampler.tcy = image::AddressMode::Wrap;
    request.simd = 32;
    request.surface = &surface;
    request.sampler = &sampler;
    request.set(Param::U, u);
    request.set(Param::V, v);
  }
  RunCase(const RunCase&) = delete;

  /// First texel and row of the lanes, in 1/1024 of a texel.
  void place(std::int32_t x, std::int32_t y) {
    for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
      u[k] = bits_of((static_cast<float>(x) / 1024 + static_cast<float>(k)) / 128);
      v[k] = bits_of(static_cast<float>(y) / 1024 / 32);
    }
  }
  ::testing::AssertionResult same(bool block = false) { return same_in_every_way(request, block); }
};

constexpr std::string_view kFormats[] = {"R8G8B8A8_UNORM", "B8G8R8A8_UNORM",     "R8G8B8A8_UNORM_SRGB", "R8G8_UNORM",
                                         "R8_UNORM",       "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT",  "R32_FLOAT"};

TEST(LaneRuns, EveryFractionIsFilteredAsByTheReference) {
  for (const std::string_view format : kFormats)
    for (const bool odd : {false, true}) {
      RunCase run(format, odd);
      run.sampler.min_filter = run.sampler.mag_filter = image::Filter::Linear;
      run.sampler.set_api_rounding();
      run.request.op = Op::SampleLz;
      for (const std::int32_t offset : {0, 1, -1}) {
        run.request.offset = {offset, offset, 0};
        for (std::int32_t at = -2048; at < 6144; at += 37) {
          run.place(at, 3 * at + 512);
          ASSERT_TRUE(run.same()) << format << " odd " << odd << " offset " << offset << " at " << at;
        }
        for (std::int32_t at = -1538; at < 1538; ++at) {  // half texels, where weights are 0, and texels' middles
          if ((at & 511) > 4 && (at & 511) < 508) continue;
          run.place(at, at);
          ASSERT_TRUE(run.same()) << format << " odd " << odd << " offset " << offset << " at " << at;
        }
      }
    }
}

TEST(LaneRuns, AnisotropicProbesAreThoseOfTheReference) {
  for (const std::string_view format : kFormats)
    for (const bool odd : {false, true}) {
      RunCase run(format, odd);
      run.sampler.min_filter = run.sampler.mag_filter = image::Filter::Anisotropic;
      run.sampler.mip_filter = image::MipFilter::Linear;
      run.sampler.max_anisotropy = 7;  // a field: 16 probes
      run.sampler.set_api_rounding();
      run.request.op = Op::SampleD;
      run.request.set(Param::DuDx, run.along);
      run.request.set(Param::DuDy, run.zero);
      run.request.set(Param::DvDx, run.zero);
      run.request.set(Param::DvDy, run.across);
      for (std::uint32_t k = 0; k < kMaxLanes; ++k) run.across[k] = bits_of(1.0f / 32);
      for (std::int32_t length = 1; length <= 20; ++length) {
        for (std::uint32_t k = 0; k < kMaxLanes; ++k) run.along[k] = bits_of(static_cast<float>(length) / 128);
        for (std::int32_t at = 0; at < 96 * 1024; at += 7013) {
          run.place(at, 9 * 1024 + at / 3);
          ASSERT_TRUE(run.same()) << format << " odd " << odd << " length " << length << " at " << at;
        }
        // A lane with fewer probes, and one that stands alone.
        run.along[5] = bits_of(3.0f / 128), run.along[20] = bits_of(0.5f / 128);
        run.place(20 * 1024 + 300, 9 * 1024);
        ASSERT_TRUE(run.same()) << format << " odd " << odd << " length " << length << ", lanes unlike";
      }
    }
}

/// Lines of all directions: whose probes share rows or columns, and those that are far apart because the level is held.
TEST(LaneRuns, AnisotropicLinesOfEveryDirection) {
  constexpr float kDirections[][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {0.3f, -1}, {-1, -0.1f}};
  for (const std::string_view format : kFormats)
    for (const bool compare : {false, true}) {
      if (compare && format != "R32_FLOAT") continue;
      RunCase run(format, true);
      run.surface = make2d(format, 128, 64, 2);
      Random random(9);
      for (std::size_t k = 0; k + 4 <= run.surface.memory->size(); k += 4) {
        std::uint32_t word = random.word();
        if (run.surface.info().bytes_per_element() == 16 || format == "R32_FLOAT") word = (word >> 8) + 0x3f000000;
        std::memcpy(run.surface.memory->data() + k, &word, 4);
      }
      LaneWords du{}, dv{}, nu{}, nv{}, reference{};
      run.sampler.min_filter = run.sampler.mag_filter = image::Filter::Anisotropic;
      run.sampler.mip_filter = image::MipFilter::Linear;
      run.sampler.max_anisotropy = 7;
      run.sampler.set_api_rounding();
      run.request.op = compare ? Op::SampleDC : Op::SampleD;
      if (compare) {
        run.sampler.compare = image::CompareFunction::Less;
        reference.fill(bits_of(1.0f));
        run.request.set(Param::Ref, reference);
      }
      run.request.set(Param::DuDx, du);
      run.request.set(Param::DvDx, dv);
      run.request.set(Param::DuDy, nu);
      run.request.set(Param::DvDy, nv);
      for (const auto& [x, y] : kDirections)
        for (const bool held : {false, true})
          for (float length = 1; length <= 40; length += held ? 3.7f : 2.3f) {
            run.sampler.max_lod = held ? 0 : 14 * 256;
            const float across = held ? 2.5f : 1.0f;  // a coarser level is wanted than there is
            du.fill(bits_of(x * length / 128)), dv.fill(bits_of(y * length / 64));
            nu.fill(bits_of(-y * across / 128)), nv.fill(bits_of(x * across / 64));
            for (std::int32_t at = -4; at < 112; at += 9) {
              for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
                run.u[k] = bits_of((static_cast<float>(at) + 0.3f + static_cast<float>(k)) / 128);
                run.v[k] = bits_of((static_cast<float>(at) / 2 + 4.6f) / 64);
              }
              ASSERT_TRUE(run.same()) << format << " direction " << x << ' ' << y << " length " << length << " at "
                                      << at << (held ? ", level held" : "");
            }
          }
    }
}

/// Pixels of a block, whose probes are filtered pixel by pixel: lines along the block's rows and columns and askew,
/// inside the texture and over its edges; `grows`: the pixels have more and more probes.
struct BlockLines {
  float x, y, length, from_x, from_y;
  bool along_columns, grows;
};
void place_block(const BlockLines& b, LaneWords& u, LaneWords& v) {
  for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
    const std::uint32_t quad = k / 4;
    const auto column = static_cast<float>(quad % 4 * 2 + (k & 1)),
               row = static_cast<float>(quad / 4 * 2 + (k >> 1 & 1));
    const float far = (b.along_columns ? row : column) * b.length * (b.grows ? 1 + 0.4f * static_cast<float>(quad) : 1);
    const float near = b.along_columns ? column : row;
    u[k] = bits_of((b.from_x + far * b.x - near * b.y) / 128);
    v[k] = bits_of((b.from_y + far * b.y + near * b.x) / 64);
  }
}

TEST(LaneRuns, AnisotropicProbesOfPixelsOfABlock) {
  constexpr float kDirections[][2] = {{1, 0}, {-1, 0}, {0, 1}, {1, 0.05f}, {-0.96f, 0.28f}, {0.6f, -0.8f}};
  for (const std::string_view format : kFormats)
    for (const bool compare : {false, true}) {
      if (compare && format != "R32_FLOAT") continue;
      RunCase run(format, true);
      run.surface = make2d(format, 128, 64, 2);
      Random random(11);
      for (std::size_t k = 0; k + 4 <= run.surface.memory->size(); k += 4) {
        std::uint32_t word = random.word();
        if (run.surface.info().bytes_per_element() == 16 || format == "R32_FLOAT") word = (word >> 8) + 0x3f000000;
        std::memcpy(run.surface.memory->data() + k, &word, 4);
      }
      LaneWords reference{};
      run.sampler.min_filter = run.sampler.mag_filter = image::Filter::Anisotropic;
      run.sampler.mip_filter = image::MipFilter::Linear;
      run.sampler.max_anisotropy = 7;
      run.sampler.set_api_rounding();
      run.request.op = compare ? Op::SampleC : Op::Sample;
      if (compare) {
        run.sampler.compare = image::CompareFunction::Less;
        reference.fill(bits_of(1.0f));
        run.request.set(Param::Ref, reference);
      }
      for (const auto& [x, y] : kDirections)
        for (const bool along_columns : {false, true})
          for (const float length : {1.3f, 2.0f, 3.1f, 4.0f, 7.9f, 12.0f, 16.0f, 24.0f})
            for (const std::int32_t at : {3, 17, 40, 90}) {
              run.sampler.tcx = at == 17 ? image::AddressMode::Clamp : image::AddressMode::Wrap;
              run.request.offset = {at == 40 ? 2 : 0, at == 40 ? -1 : 0, 0};
              const float from = static_cast<float>(at) + 0.3f;
              place_block({x, y, length, from, from / 2, along_columns, at == 3}, run.u, run.v);
              for (const bool block : {false, true})
                ASSERT_TRUE(run.same(block))
                    << format << " direction " << x << ' ' << y << (along_columns ? " down" : "") << " length "
                    << length << " at " << at << (block ? ", a block" : "");
            }
    }
}

// ANI-1 where the square of the longer line is infinite: two probes of the shorter one's length reach it.
TEST(LaneRuns, ProbesOfInfiniteLines) {
  RunCase run("R8G8B8A8_UNORM", true);
  run.surface = make2d("R8G8B8A8_UNORM", 128, 128, 2);
  Random random(12);
  for (std::uint8_t& byte : *run.surface.memory) byte = static_cast<std::uint8_t>(random.word());
  run.sampler.min_filter = run.sampler.mag_filter = image::Filter::Anisotropic;
  run.sampler.mip_filter = image::MipFilter::Linear;
  run.sampler.max_anisotropy = 7;
  run.sampler.tcx = run.sampler.tcy = image::AddressMode::Mirror;
  for (const float small : {1e19f, 1.2e19f, 5e18f, 3e17f})
    for (const float from : {0.1f, 0.37f, 0.62f}) {
      for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
        run.u[k] = bits_of(from + ((k & 1) != 0 ? 2e19f / 128 : 0));
        run.v[k] = bits_of(from + ((k >> 1 & 1) != 0 ? small / 128 : 0));
      }
      for (const bool block : {false, true}) ASSERT_TRUE(run.same(block)) << small << ' ' << from << ' ' << block;
    }
}

}  // namespace
}  // namespace heddle::texture::test
