// SPDX-License-Identifier: MIT
// Steps that are shown to people end in what the operation returns.

#include "texture/reference/follow.hpp"

#include <random>

#include "support.hpp"

namespace heddle::texture::test {
namespace {

struct Case {
  image::Sampler sampler;
  LaneWords u{}, v{}, lod{};
};

/// Any filter and address mode, coordinates around the texture.
Case random_case(std::mt19937& random) {
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  Case c;
  constexpr image::Filter kFilters[] = {image::Filter::Nearest, image::Filter::Linear, image::Filter::Anisotropic};
  constexpr image::MipFilter kMips[] = {image::MipFilter::None, image::MipFilter::Nearest, image::MipFilter::Linear};
  constexpr image::AddressMode kModes[] = {image::AddressMode::Wrap, image::AddressMode::Mirror,
                                           image::AddressMode::Clamp, image::AddressMode::ClampBorder};
  c.sampler.min_filter = kFilters[below(3)];
  c.sampler.mag_filter = kFilters[below(2)];
  c.sampler.mip_filter = kMips[below(3)];
  c.sampler.tcx = kModes[below(4)];
  c.sampler.tcy = kModes[below(4)];
  c.sampler.max_anisotropy = 7;
  c.sampler.border = {0x3f000000, 0, 0x3f800000, 0x3e800000};
  std::uniform_real_distribution<float> place(-1.5f, 2.5f), level(-1.0f, 4.0f);
  for (unsigned k = 0; k < kMaxLanes; ++k) {
    c.u[k] = base::bits_of(place(random));
    c.v[k] = base::bits_of(place(random));
    c.lod[k] = base::bits_of(level(random));
  }
  return c;
}

// FLT-3, FLT-4, ANI-1, GA-4, SAM-7: the same functions in the same order.
TEST(Follow, TheStepsEndInTheResult) {
  std::mt19937 random(41);
  image::Surface surface = make2d("R8G8B8A8_UNORM", 16, 8, 4);
  fill(surface, [&](auto...) { return random(); });
  unsigned levels[3] = {}, anisotropic = 0;
  for (int n = 0; n < 400; ++n) {
    const Case c = random_case(random);
    for (const Op op : {Op::Sample, Op::SampleL, Op::SampleB, Op::Lod, Op::Gather4, Op::Gather4L}) {
      LaneRequest request;
      request.op = op;
      request.surface = &surface;
      request.sampler = &c.sampler;
      request.source_channel = static_cast<std::uint8_t>(n & 3);
      request.set(Param::U, c.u);
      request.set(Param::V, c.v);
      if (operation(op).has(Param::Lod)) request.set(Param::Lod, c.lod);
      if (operation(op).has(Param::Bias)) request.set(Param::Bias, c.lod);
      OperationContext context;
      const LaneResult expected = execute(request, context);
      for (unsigned lane = 0; lane < request.simd; ++lane) {
        const auto f = reference::follow(request, lane, context);
        ASSERT_TRUE(f.has_value());
        for (unsigned k = 0; k < 4; ++k)
          ASSERT_EQ(f->result[k], expected.channels[k][lane]) << operation(op).name << " lane " << lane;
        ++levels[f->levels];
        if (f->line.count > 1) ++anisotropic;
      }
    }
  }
  EXPECT_GT(levels[0], 0u);  // queries
  EXPECT_GT(levels[1], 0u);
  EXPECT_GT(levels[2], 0u);
  EXPECT_GT(anisotropic, 0u);
}

// RET-7 to RET-9, LD-1: there are no steps to show.
TEST(Follow, LoadsAndRefusedOperationsHaveNone) {
  const image::Surface surface = make2d("R8G8B8A8_UNORM", 4, 4);
  image::Sampler sampler;
  OperationContext context;
  LaneRequest request;
  request.op = Op::Ld;
  request.surface = &surface;
  request.sampler = &sampler;
  EXPECT_FALSE(reference::follow(request, 0, context).has_value());
  request.op = Op::Sample;
  sampler.disable = true;
  EXPECT_FALSE(reference::follow(request, 0, context).has_value());
  request.surface = nullptr;
  EXPECT_FALSE(reference::follow(request, 0, context).has_value());
}

}  // namespace
}  // namespace heddle::texture::test
