// SPDX-License-Identifier: MIT
// SAMPLE_UNORM: UNO-1..13.
#include "texture/sample_unorm.hpp"

#include "support.hpp"

namespace heddle::texture {
namespace {

using namespace test;
using image::Filter;
using image::Sampler;
using image::Surface;

UnormRequest block(const Surface& s, const Sampler& sampler, float u, float v, float du, float dv) {
  UnormRequest r;
  r.surface = &s;
  r.sampler = &sampler;
  r.u = u;
  r.v = v;
  r.du = du;
  r.dv = dv;
  return r;
}
UnormResult run(const UnormRequest& r) {
  OperationContext context;
  const auto result = sample_unorm(r, context);
  EXPECT_FALSE(context.reports.has_errors());
  return result;
}
Surface numbered() {
  Surface s = make2d("R8G8B8A8_UNORM", 8, 4);
  fill(s, [](auto, auto, auto x, auto y) { return (8 * y + x) | 0x10u << 8 | 0x20u << 16 | 0x30u << 24; });
  return s;
}

TEST(SampleUnorm, UNO1_UNO5_NearestBlock) {
  const Surface s = numbered();
  const auto r = run(block(s, {}, 0.5f / 8, 0.5f / 4, 1.0f / 8, 1.0f / 4));
  for (unsigned p = 0; p < 32; ++p) {
    EXPECT_EQ(r.channels[0][p], p << 8);
    EXPECT_EQ(r.channels[3][p], 0x3000);
  }
}

TEST(SampleUnorm, UNO5_WorkedExample5) {  // C11, NUM-75
  Surface s = make2d("R8_UNORM", 2, 1);
  fill(s, [](auto, auto, auto x, auto) { return x == 0 ? 10u : 30u; });
  Sampler sampler;
  sampler.mag_filter = Filter::Linear;
  const auto r = run(block(s, sampler, 0.375f, 0.5f, 0, 0));  // t = 0.75: weight 64
  EXPECT_EQ(r.channels[0][0], 0x0f00);
  EXPECT_EQ(r.channels[1][0], 0);
  EXPECT_EQ(r.channels[3][0], 0xff00);  // UNO-4: missing alpha
}

TEST(SampleUnorm, UNO4_NarrowChannels) {  // C51
  Surface s = make2d("B5G6R5_UNORM", 1, 1);
  fill(s, [](auto, auto, auto, auto) { return 17u << 11 | 40u << 5 | 3u; });
  const auto r = run(block(s, {}, 0, 0, 0, 0));
  EXPECT_EQ(r.channels[0][0], ((17 * 510 + 31) / 62) << 8);
  EXPECT_EQ(r.channels[1][0], ((40 * 510 + 63) / 126) << 8);
  EXPECT_EQ(r.channels[2][0], ((3 * 510 + 31) / 62) << 8);
  Surface srgb = make2d("R8G8B8A8_UNORM_SRGB", 1, 1);
  fill(srgb, [](auto, auto, auto, auto) { return 0x80808080u; });
  EXPECT_EQ(run(block(srgb, {}, 0, 0, 0, 0)).channels[0][0], 0x8000);
}

TEST(SampleUnorm, UNO10_Rotation) {  // C50
  Surface s = make2d("R8_UNORM", 16, 16);
  fill(s, [](auto, auto, auto x, auto y) { return 16 * y + x; });
  const auto pixel = [&](std::uint32_t rotation, unsigned x, unsigned y) {
    s.rotation = rotation;
    return run(block(s, {}, 0.5f / 16, 0.5f / 16, 1.0f / 16, 1.0f / 16)).channels[0][8 * y + x] >> 8;
  };
  EXPECT_EQ(pixel(90, 5, 2), 16 * (7 - 5) + 2);
  EXPECT_EQ(pixel(180, 5, 2), 16 * (3 - 2) + 7 - 5);
  EXPECT_EQ(pixel(270, 5, 2), 16 * 5 + 3 - 2);
}

TEST(SampleUnorm, UNO9_WarningsOnly) {  // C51
  Surface s = numbered();
  Sampler sampler;
  sampler.tcx = image::AddressMode::Mirror;
  OperationContext context;
  context.platform = UnitPlatform::Dg2;
  (void)sample_unorm(block(s, sampler, 0, 0, 1, 0), context);
  EXPECT_FALSE(context.reports.has_errors());
  ASSERT_EQ(context.reports.warnings(), 3u);
  EXPECT_EQ(context.reports.all()[0].id, "UNO-9");
  EXPECT_EQ(context.reports.all()[2].id, "UNO-11");
}

TEST(SampleUnorm, UNO9_Borders) {
  Surface s = make2d("R8_UNORM", 1, 1);
  fill(s, [](auto, auto, auto, auto) { return 101u; });
  Sampler sampler;
  sampler.tcx = image::AddressMode::ClampBorder;
  sampler.border[0] = base::bits_of(0.5f);
  EXPECT_EQ(run(block(s, sampler, -3, 0, 0, 0)).channels[0][0], 128u << 8);
  sampler.tcx = image::AddressMode::HalfBorder;
  EXPECT_EQ(run(block(s, sampler, -3, 0, 0, 0)).channels[0][0], ((101u + 128) / 2) << 8);
}

TEST(SampleUnorm, UNO12_UNO13_OutputFormats) {  // C12, E16: both behaviors
  UnormResult r;
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned p = 0; p < 32; ++p) r.channels[c][p] = static_cast<std::uint16_t>((c << 14) + (p << 8) + 0x55);
  using enum UnormOutput;
  EXPECT_EQ(effective_output(Downsampled8, Behavior::Hardware), Full16);
  EXPECT_EQ(effective_output(Downsampled8, Behavior::Document), Downsampled8);
  EXPECT_EQ(unorm_bytes(15, Full16), 256u);
  EXPECT_EQ(unorm_bytes(15, Downsampled16), 192u);
  EXPECT_EQ(unorm_bytes(15, Full8), 128u);
  EXPECT_EQ(unorm_bytes(15, Downsampled8), 96u);
  EXPECT_EQ(unorm_bytes(0b1010, Downsampled8), 64u);
  EXPECT_EQ(unorm_bytes(0b0100, Downsampled8), 32u);
  const auto write = [&](std::uint8_t channels, UnormOutput output, UnormOrder order = UnormOrder::RowMajor) {
    std::vector<std::uint8_t> bytes(unorm_bytes(channels, output), 0xee);
    write_unorm(bytes, r, channels, output, order);
    return bytes;
  };
  auto b = write(0b0101, Full16);  // R then B
  EXPECT_EQ(b[2 * 9 + 1], 9);
  EXPECT_EQ(b[64 + 1], 0x80);
  b = write(0b0011, Downsampled16);  // R has 16 words of even x, then G
  EXPECT_EQ(b[2 * 5 + 1], 10);
  EXPECT_EQ(b[32 + 2 * 5 + 1], 0x40 + 5);
  b = write(0b1110, Downsampled8);  // the shared slot: R not written, B in bytes 16..31; then G, A
  EXPECT_EQ(b[0], 0xee);
  EXPECT_EQ(b[15], 0xee);
  EXPECT_EQ(b[16 + 3], 0x80 + 6);
  EXPECT_EQ(b[32 + 7], 0x40 + 7);
  EXPECT_EQ(b[64 + 7], 0xc0 + 7);
  b = write(0b0001, Full8, UnormOrder::Sandybridge);  // UNO-7
  EXPECT_EQ(b[8], 4);
  EXPECT_EQ(b[4], 8);
  EXPECT_EQ(b[16], 16);
}

TEST(SampleUnorm, RET7_RET8_RET9) {
  Surface null;
  null.type = image::SurfaceType::Null;
  EXPECT_EQ(run(block(null, {}, 0, 0, 0, 0)).channels[3][0], 0);
  const Surface s = numbered();
  Sampler disabled;
  disabled.disable = true;
  EXPECT_EQ(run(block(s, disabled, 0, 0, 0, 0)).channels[3][0], 0);
  Surface buffer;
  buffer.type = image::SurfaceType::Buffer;
  const Sampler sampler;
  OperationContext context;
  (void)sample_unorm(block(buffer, sampler, 0, 0, 0, 0), context);
  EXPECT_TRUE(context.reports.has_errors());
}

}  // namespace
}  // namespace heddle::texture
