// SPDX-License-Identifier: MIT
// Image instructions: operands, masks and destination layout (EXE, RET); what is computed is tested with
// the texture unit.
#include "engine/harness.hpp"
#include "machine/pixels.hpp"

namespace heddle::engine::testing {
namespace {

using reference::Outcome;

/// 8 x 4 texels of R32_FLOAT, value 10 * y + x, with a null texel at (7, 3).
std::shared_ptr<image::Surface> bind_image(KernelRun& run) {
  auto surface = std::make_shared<image::Surface>();
  surface->format = image::Format::R32_FLOAT;
  surface->width = 8;
  surface->height = 4;
  EXPECT_TRUE(image::allocate(*surface).ok());
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 8; ++x) {
      const float value = static_cast<float>(10 * y + x);
      std::memcpy(surface->memory->data() + 4 * (8 * y + x), &value, 4);
    }
  surface->null_texels.push_back({0, 0, 7, 3});
  run.bindings.surfaces = {surface};
  run.bindings.samplers = {std::make_shared<image::Sampler>()};
  run.bindings.surface_variables[6] = {0};
  run.bindings.sampler_variables[0] = {0};
  return surface;
}

const std::string kState = ".decl T6 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n";
std::vector<float> floats(std::initializer_list<float> values) { return values; }

TEST(Images, ResinfoWritesEnabledChannelsOfActiveLanes) {  // E4; EXE-3
  KernelRun run(kState + decl("L", "ud", 16) + decl("D", "ud", 32) +
                "mov (M1_NM, 16) L(0,0)<1> 0:ud\nresinfo.GA (M1, 16) T6 L.0 D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  bind_image(run);
  run.start(0x7fff).set("D", std::vector<std::uint32_t>(32, 99));
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint32_t>("D", 32);
  EXPECT_EQ(d[0], 4u);
  EXPECT_EQ(d[14], 4u);
  EXPECT_EQ(d[15], 99u);
  EXPECT_EQ(d[16], 1u);
  EXPECT_EQ(d[31], 99u);
}

TEST(Images, ResinfoOf32Lanes) {  // E5
  KernelRun run(kState + decl("L", "ud", 32) + decl("D", "ud", 32) +
                "mov (M1_NM, 32) L(0,0)<1> 0:ud\nresinfo.A (M1, 32) T6 L.0 D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  bind_image(run);
  run.start(0xffffffffu).set("D", std::vector<std::uint32_t>(32, 99));
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("D", 32), std::vector<std::uint32_t>(32, 1));
}

TEST(Images, Sample4GathersWithOffsetAndNullMask) {
  KernelRun run(kState + decl("U", "f", 8) + decl("V", "f", 8) + decl("D", "f", 40) +
                decl("M", "ud", 8, " alias=<D,128>") +
                "sample4.pixel_null_mask.R (M1, 8) 0x100:uw S0 T6 D.0 U.0 V.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  bind_image(run);
  // Footprints between texels (2,1) and (3,2) before the offset of one texel in u; lane 1 reaches the null texel.
  run.start(0x03)
      .set("U", floats({3.0f / 8, 6.0f / 8, 0, 0, 0, 0, 0, 0}))
      .set("V", floats({2.0f / 4, 3.0f / 4, 0, 0, 0, 0, 0, 0}));
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<float>("D", 32);
  EXPECT_EQ(d[0], 23.0f);   // R = (i0, j1)
  EXPECT_EQ(d[8], 24.0f);   // G = (i1, j1)
  EXPECT_EQ(d[16], 14.0f);  // B = (i1, j0)
  EXPECT_EQ(d[24], 13.0f);  // A = (i0, j0)
  EXPECT_EQ(run.get<std::uint32_t>("M", 1)[0], 0xfffffffdu);
  EXPECT_EQ(d[2], 0.0f);
}

TEST(Images, LoadTakesPredicateAndHalfDestination) {
  KernelRun run(kState + decl("U", "ud", 8) + decl("V", "ud", 8) + decl("D", "hf", 16) +
                ".decl P1 v_type=P num_elts=8\nsetp (M1_NM, 8) P1 0xfe:ud\n(P1) load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0 "
                "V.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  bind_image(run);
  run.start(0xff)
      .set<std::uint32_t>("U", {0, 1, 2, 3, 4, 5, 6, 8})
      .set("V", std::vector<std::uint32_t>(8, 3))
      .set("D", std::vector<std::uint16_t>(16, 0x1111));
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint16_t>("D", 16);
  EXPECT_EQ(d[0], 0x1111u);
  EXPECT_EQ(d[1], base::float_to_half(31.0f));
  EXPECT_EQ(d[7], 0u);  // LD-3
  EXPECT_EQ(d[8], 0x1111u);
}

TEST(Images, HalfCoordinatesAreWidened) {  // NUM-33
  KernelRun run(kState + decl("U", "hf", 8) + decl("V", "hf", 8) + decl("D", "f", 8) +
                    "sample_lz.R (M1, 8) 0x0:uw S0 T6 D.0 U.0 V.0\nret (M1, 1)\n",
                isa::Platform::ICLLP);
  ASSERT_TRUE(run.ready());
  bind_image(run);
  std::vector<std::uint16_t> u, v;
  for (unsigned k = 0; k < 8; ++k)
    u.push_back(base::float_to_half((static_cast<float>(k) + 0.5f) / 8)), v.push_back(base::float_to_half(0.625f));
  run.start(0xff).set("U", u).set("V", v);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<float>("D", 8), floats({20, 21, 22, 23, 24, 25, 26, 27}));
}

TEST(Images, SampleUnormIgnoresTheMask) {
  KernelRun run(kState + decl("D", "uw", 64) +
                "sample_unorm.RA.16-full S0 T6 0x3d800000:f 0x3e000000:f 0x3e000000:f 0x3e800000:f D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  const auto surface = bind_image(run);
  surface->format = image::Format::R8G8B8A8_UNORM;
  for (unsigned i = 0; i < 32; ++i)
    (*surface->memory)[4 * i] = static_cast<std::uint8_t>(i), (*surface->memory)[4 * i + 3] = 255;
  surface->null_texels.clear();
  run.start(0x1);
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint16_t>("D", 64);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(d[i], i << 8);
    EXPECT_EQ(d[32 + i], 0xff00u);
  }
}

TEST(Images, MissingBindingsAreRefused) {
  KernelRun run(kState + decl("L", "ud", 8) + decl("D", "ud", 32) +
                    "mov (M1, 8) L(0,0)<1> 0:ud\nresinfo.RGBA (M1, 8) T6 L.0 D.0\nret (M1, 1)\n",
                isa::Platform::SKL, machine::CheckMode::Off);
  ASSERT_TRUE(run.ready());
  EXPECT_EQ(run.go(), Outcome::Failed);
  EXPECT_EQ(run.ids(), std::vector<std::string>{"run-binding-missing"});
}

/// An operand that the operation does not have is no operand to be dropped (SAM-1, LD-1).
TEST(Images, SurplusOperandsAreRefused) {
  KernelRun many(kState + decl("U", "f", 8) + decl("D", "f", 32) +
                 "sample_lz.R (M1, 8) 0x0:uw S0 T6 D.0 U.0 U.0 U.0 U.0 U.0\nret (M1, 1)\n");
  ASSERT_TRUE(many.ready());
  bind_image(many);
  many.start(0xff);
  EXPECT_EQ(many.go(), Outcome::Failed);
  ASSERT_FALSE(many.diagnostics.empty());
  EXPECT_EQ(many.diagnostics.all().front().id, "visa-sampler-param-count");
  // Of 32 bits, load_2dms_w has seven parameters; only its 16-bit form has nine.
  KernelRun wide(kState + decl("U", "ud", 8) + decl("D", "f", 32) +
                 "load_2dms_w.R (M1, 8) 0x0:uw T6 D.0 U.0 U.0 U.0 U.0 U.0 U.0 U.0 U.0\nret (M1, 1)\n");
  ASSERT_TRUE(wide.ready());
  bind_image(wide);
  wide.start(0xff);
  EXPECT_EQ(wide.go(), Outcome::Failed);
  ASSERT_FALSE(wide.diagnostics.empty());
  EXPECT_NE(wide.diagnostics.all().front().message.find("8 parameters, takes at most 7"), std::string::npos)
      << wide.diagnostics.all().front().message;
}

TEST(Images, MovsChoosesTheSurface) {
  KernelRun run(kState + decl("L", "ud", 8) + decl("D", "ud", 8) + decl("I", "ud", 1) +
                "mov (M1, 8) L(0,0)<1> 0:ud\nmovs (M1_NM, 1) T6(0) 0x1:ud\nmovs (M1_NM, 1) I(0,0)<1> T6(0)\nresinfo.R "
                "(M1, 8) T6 L.0 D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  bind_image(run);
  auto second = std::make_shared<image::Surface>(*run.bindings.surfaces[0]);
  second->width = 5;
  run.bindings.surfaces.push_back(second);
  run.bindings.surface_variables.clear();
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("D", 1)[0], 5u);
  EXPECT_EQ(run.get<std::uint32_t>("I", 1)[0], 1u);
}

// --- RT_WRITE ---

/// Two subspans at (2, 0) and (4, 2); r0 and r1 come from the payload.
void pixel_payload(KernelRun& run, std::uint32_t enables) {
  static const machine::PixelInput kPixels = [] {
    machine::PixelInput pixels;
    pixels.coverage.fill(0xffff);
    return pixels;
  }();
  run.setup.pixels = &kPixels;
  const std::uint32_t first = 2, second = 4 | 2 << 16;
  std::memcpy(run.payload.data() + 32 + 8, &first, 4);
  std::memcpy(run.payload.data() + 32 + 12, &second, 4);
  std::memcpy(run.payload.data() + 32 + 28, &enables, 4);
}

std::shared_ptr<image::Surface> bind_target(KernelRun& run) {
  auto surface = std::make_shared<image::Surface>();
  surface->width = 8;
  surface->height = 4;
  EXPECT_TRUE(image::allocate(*surface).ok());
  run.bindings.surfaces = {surface};
  run.bindings.surface_variables[6] = {0};
  return surface;
}

TEST(Images, RenderTargetWriteFollowsHeaderAndMasks) {
  KernelRun run(".decl T6 v_type=T num_elts=1\n" + decl("R", "f", 8) + decl("G", "f", 8) +
                ".decl P1 v_type=P num_elts=8\nsetp (M1_NM, 8) P1 0x7f:ud\n"
                "(P1) rt_write_3d.<LRTW> (M1, 8) T6 %null.0 R.0 G.0 G.0 R.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  const auto target = bind_target(run);
  pixel_payload(run, 0xfd);  // slot 1 is a helper lane
  std::vector<float> r;
  for (unsigned k = 0; k < 8; ++k) r.push_back(static_cast<float>(k + 1) / 255);
  run.start(0xff).set("R", r).set("G", std::vector<float>(8, 1.0f));
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_TRUE(run.diagnostics.empty()) << run.ids().front();
  const auto texel = [&](unsigned x, unsigned y) {
    std::uint32_t word = 0;
    std::memcpy(&word, target->memory->data() + 4 * (8 * y + x), 4);
    return word;
  };
  EXPECT_EQ(texel(2, 0), 0x01ffff01u);
  EXPECT_EQ(texel(3, 0), 0u);           // enables
  EXPECT_EQ(texel(2, 1), 0x03ffff03u);  // slot 2: lower left
  EXPECT_EQ(texel(4, 2), 0x05ffff05u);
  EXPECT_EQ(texel(4, 3), 0x07ffff07u);
  EXPECT_EQ(texel(5, 3), 0u);  // predicate
}

TEST(Images, RenderTargetHeaderOperandReplacesR1) {  // E12
  KernelRun run(".decl T6 v_type=T num_elts=1\n" + decl("R", "hf", 16) + decl("H", "ud", 8) +
                "mov (M1_NM, 8) H(0,0)<1> 0:ud\nmov (M1_NM, 1) H(0,2)<1> 0x00020006:ud\nmov (M1_NM, 1) H(0,7)<1> "
                "0x1:ud\nmov (M1, 16) R(0,0)<1> 0x3c00:hf\nrt_write_3d (M1, 8) T6 H.0 R.0 R.0 R.0 R.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  const auto target = bind_target(run);
  pixel_payload(run, 0xff);
  ASSERT_EQ(run.start(0xffff).go(), Outcome::Finished);
  std::uint32_t written = 0;
  for (unsigned i = 0; i < 32; ++i) written += (*target->memory)[4 * i] != 0 ? 1 : 0;
  EXPECT_EQ(written, 1u);
  EXPECT_EQ((*target->memory)[4 * (8 * 2 + 6)], 255u);
}

}  // namespace
}  // namespace heddle::engine::testing
