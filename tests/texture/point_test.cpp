// SPDX-License-Identifier: MIT
#include "texture/point.hpp"

#include <gtest/gtest.h>

#include "render_target/render_target.hpp"

namespace heddle::texture {
namespace {

image::Surface ramp() {
  image::Surface s;
  s.format = image::Format::R32_FLOAT;
  s.width = s.height = 4;
  EXPECT_TRUE(image::allocate(s).ok());
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 4; ++x) {
      image::Texel t;
      t.set(0, static_cast<float>(16 * y + x));
      image::store(s, 0, 0, x, y, t);
    }
  return s;
}

// Section 18, example 2, in the short form.
TEST(Point, GatherSampleLoadWrite) {
  const image::Surface s = ramp();
  image::Sampler sampler;
  sampler.min_filter = sampler.mag_filter = image::Filter::Linear;
  sampler.set_api_rounding();
  EXPECT_EQ(gather4_at(s, sampler, {0.5f, 0.5f}), (std::array<float, 4>{33, 34, 18, 17}));
  EXPECT_EQ(sample_at(s, sampler, {0.5f, 0.5f})[0], 25.5f);
  EXPECT_EQ(load_at(s, 3, 2)[0], 35.0f);
  image::Surface target;
  target.width = target.height = 3;
  ASSERT_TRUE(image::allocate(target).ok());
  render_target::write_pixel(target, 1, 2, {0.5f, 1, 0, 1});
  EXPECT_EQ(image::fetch(target, 0, 0, 1, 2).texel.f(0), 128.0f / 255);
  EXPECT_EQ(image::fetch(target, 0, 0, 0, 2).texel.bits[0], 0u);
}

}  // namespace
}  // namespace heddle::texture
