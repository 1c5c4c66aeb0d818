// SPDX-License-Identifier: MIT
// Raw render-target messages do what RT_WRITE does. Descriptors are those that GenX_IR makes for SKL (no target by the
// extended descriptor: TGLLP).
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "engine/harness.hpp"
#include "machine/pixels.hpp"

namespace heddle::engine::testing {
namespace {

using reference::Outcome;

struct Case {
  std::string name, named, raw;
  std::vector<std::pair<unsigned, std::uint32_t>> header;
  isa::Platform platform = isa::Platform::SKL;
};

struct Result {
  std::vector<std::uint8_t> color, depth, stencil;
  std::string reports;
};

/// 8 x 8 pixels; four subspans in R1, as many in R2. The four colors of 16 floats follow each other in P, halves in F.
Result run_pixels(const std::string& line, const Case& c, std::uint32_t mask,
                  const std::function<void(machine::PixelState&)>& change = {}) {
  KernelRun run(".decl T6 v_type=T num_elts=1\n" + decl("H", "ud", 16) + decl("P", "f", 128) + decl("F", "hf", 128) +
                    decl("M", "uw", 16) + decl("S", "ub", 32) + decl("G", "ud", 128) +
                    decl("GM", "uw", 256, " alias=<G,0>") + decl("GS", "ub", 512, " alias=<G,0>") +
                    decl("GF", "f", 128, " alias=<G,0>") +
                    ".decl P1 v_type=P num_elts=16\nsetp (M1_NM, 16) P1 0x5a3c:ud\n" + line + "\nret (M1, 1)\n",
                c.platform);
  EXPECT_TRUE(run.ready());
  const auto surface = [](image::Format format) {
    auto s = std::make_shared<image::Surface>();
    s->format = format;
    s->width = s->height = 8;
    EXPECT_TRUE(image::allocate(*s).ok());
    return s;
  };
  machine::PixelState state;
  const auto target = surface(image::Format::R8G8B8A8_UNORM);
  state.depth = surface(image::Format::R32_FLOAT);
  state.stencil = surface(image::Format::R8_UINT);
  std::ranges::fill(*target->memory, std::uint8_t{9});
  state.output.depth_write = state.output.depth_test = true;
  state.output.stencil_test = state.output.stencil_write = true;
  state.output.front.pass_op = image::StencilOp::Replace;
  state.output.blend[3].write_disable[1] = true;
  if (change) change(state);
  machine::PixelInput pixels;
  pixels.state = &state;
  for (unsigned k = 0; k < 32; ++k) {
    pixels.coverage[k] = 0xffff;
    pixels.depth[0][k] = base::bits_of(static_cast<float>(k) / 64);
  }
  run.setup.pixels = &pixels;
  run.bindings.surfaces.resize(7);
  run.bindings.surfaces[6] = target;
  run.bindings.surface_variables[6] = {6};
  for (unsigned half = 0; half < 2; ++half) {
    std::uint32_t words[8] = {
        0, 0, 0x00000000 + 4 * half, 0x00000002 + 4 * half, 0x00020000 + 4 * half, 0x00020002 + 4 * half, 0, 0xffef};
    std::memcpy(run.payload.data() + 32 * (half + 1), words, 32);
  }
  run.start(mask);
  std::vector<std::uint32_t> header(16);
  std::memcpy(&header[8], run.payload.data() + 32, 32);
  for (const auto& [at, value] : c.header) header[at] = value;
  std::vector<float> p(128);
  std::vector<std::uint16_t> f(128), m(16);
  std::vector<std::uint8_t> s(32);
  for (unsigned i = 0; i < 128; ++i) {
    p[i] = static_cast<float>((i * 7) % 51) / 51;
    f[i] = static_cast<std::uint16_t>(0x3800 + i);
  }
  for (unsigned i = 0; i < 16; ++i) {
    m[i] = i % 5 == 0 ? 0 : 0xffff;
    s[i] = static_cast<std::uint8_t>(40 + i);
  }
  run.set("H", header).set("P", p).set("F", f).set("M", m).set("S", s).set("G", std::vector<std::uint32_t>(128));
  EXPECT_EQ(run.go(), Outcome::Finished);
  Result result{target->memory->copy(), state.depth->memory->copy(), state.stencil->memory->copy(), {}};
  for (const auto& d : run.diagnostics.all()) result.reports += d.id + ": " + d.message + "\n";
  return result;
}

// clang-format off
const Case kCases[] = {
    {"SIMD16", "rt_write_3d (M1, 16) T6 %null.0 P.0 P.64 P.128 P.192",
     "raw_sendsc.8.0.0 (M1, 16) 0x5:ud 0x10030006:ud P.0 %null.0 %null.0", {}},
    {"SIMD16, predicated", "(P1) rt_write_3d (M1, 16) T6 %null.0 P.0 P.64 P.128 P.192",
     "(P1) raw_sends.5.8.0.0 (M1, 16) 0x5:ud 0x10030006:ud P.0 %null.0 %null.0", {}},
    {"SIMD8, last target", "rt_write_3d.<LRTW> (M1, 8) T6 %null.0 P.0 P.32 P.64 P.96",
     "raw_send (M1, 8) 0x5 4 0 0x08031406:ud P.0 %null.0", {}},
    {"SIMD8, end of thread", "rt_write_3d.<LRTW> (M1, 8) T6 %null.0 P.0 P.32 P.64 P.96",
     "raw_sends_eot.5.4.0.0 (M1, 8) 0x5:ud 0x08031406:ud P.0 %null.0 %null.0", {}},
    {"upper slots", "rt_write_3d (M5, 16) T6 %null.0 P.0 P.64 P.128 P.192",
     "raw_sendsc.8.0.0 (M5, 16) 0x5:ud 0x10030806:ud P.0 %null.0 %null.0", {}},
    {"halves", "rt_write_3d (M1, 16) T6 %null.0 F.0 F.32 F.64 F.96",
     "raw_sendsc.4.0.0 (M1, 16) 0x5:ud 0x48030006:ud F.0 %null.0 %null.0", {}},
    {"target index in the header", "rt_write_3d.<RTI> (M1, 16) T6 H.32 0x3:ud P.0 P.64 P.128 P.192",
     "raw_sends.5.2.8.0 (M1, 16) 0x205:ud 0x040B0006:ud H.0 P.0 %null.0", {{2, 3}}},
    {"target index in the extended descriptor", "rt_write_3d.<RTI> (M1, 16) T6 %null.0 0x3:ud P.0 P.64 P.128 P.192",
     "raw_sends.5.8.0.0 (M1, 16) 0x3005:ud 0x10030006:ud P.0 %null.0 %null.0", {}, isa::Platform::ICLLP},
    {"coarse pixels per sample", "rt_write_3d.<PS><CM> (M1, 8) T6 %null.0 P.0 P.32 P.64 P.96",
     "raw_sendsc.4.0.0 (M1, 8) 0x5:ud 0x08072406:ud P.0 %null.0 %null.0", {}},
    {"source-0 alpha, oMask, depth, stencil", "rt_write_3d.<A><O><Z><ST><LRTW> (M1, 8) T6 H.32 P.0 M.0 P.32 P.64 P.96 P.128 P.160 S.0",
     "mov (M1_NM, 8) GF(0,0)<1> P(0,0)<8;8,1>\nmov (M1_NM, 16) GM(1,0)<1> M(0,0)<16;16,1>\nmov (M1_NM, 16) GF(2,0)<1> P(1,0)<16;16,1>\n"
     "mov (M1_NM, 16) GF(4,0)<1> P(3,0)<16;16,1>\nmov (M1_NM, 8) GF(6,0)<1> P(5,0)<8;8,1>\nmov (M1_NM, 8) GS(7,0)<1> S(0,0)<8;8,1>\n"
     "raw_sendsc.2.8.0 (M1, 8) 0x205:ud 0x040B1406:ud H.0 G.0 %null.0", {{0, 0x7800}}},
    {"no target", "rt_write_3d.<LRTW><NULLRT> (M1, 8) T6 %null.0 P.0 P.32 P.64 P.96",
     "raw_sends.5.4.0.0 (M1, 8) 0x100000:ud 0x08031406:ud P.0 %null.0 %null.0", {}, isa::Platform::TGLLP},
};
// clang-format on

TEST(RawRenderTarget, DoesWhatRtWriteDoes) {
  for (const Case& c : kCases)
    for (const std::uint32_t mask : {0xffffffffu, 0x7ffa9a6fu}) {
      SCOPED_TRACE(fmt::format("{}, lanes {:x}", c.name, mask));
      const Result named = run_pixels(c.named, c, mask), raw = run_pixels(c.raw, c, mask);
      EXPECT_EQ(raw.color, named.color);
      EXPECT_EQ(raw.depth, named.depth);
      EXPECT_EQ(raw.stencil, named.stencil);
      EXPECT_EQ(raw.reports, named.reports);
      const bool writes = std::ranges::any_of(named.color, [](std::uint8_t b) { return b != 9; });
      EXPECT_EQ(writes, c.name != "no target");
    }
}

/// One color for sixteen slots is what sixteen equal colors are.
TEST(RawRenderTarget, ReplicatedColor) {
  const std::string fill = "mov (M1_NM, 16) GF({0},0)<1> P(0,{1})<0;1,0>\n";
  std::string named;
  for (unsigned ch = 0; ch < 4; ++ch) named += fmt::format(fmt::runtime(fill), 2 * ch, ch);
  const Case c{};
  const Result all = run_pixels(named + "rt_write_3d (M1, 16) T6 %null.0 G.0 G.64 G.128 G.192", c, 0xffff);
  const Result one = run_pixels("raw_send (M1, 16) 0x5 1 0 0x02030106:ud P.0 %null.0", c, 0xffff);
  EXPECT_EQ(one.color, all.color);
  EXPECT_EQ(one.reports, "");
}

/// Two sources: factor "second source's color" on the first, nothing of the target: the product of both.
TEST(RawRenderTarget, DualSource) {
  const auto blend = [](machine::PixelState& state) {
    image::BlendEntry& e = state.output.blend[0];
    e.enable = true;
    e.src_color = e.src_alpha = image::BlendFactor::Src1Color;
    e.dst_color = e.dst_alpha = image::BlendFactor::Zero;
    e.src_alpha = image::BlendFactor::Src1Alpha;
  };
  std::string product;
  for (unsigned ch = 0; ch < 4; ++ch)
    product += fmt::format("mul (M1_NM, 8) GF({0},0)<1> P({0},0)<8;8,1> P({1},0)<8;8,1>\n", ch, ch + 4);
  const Case c{};
  const Result want = run_pixels(product + "rt_write_3d (M1, 8) T6 %null.0 G.0 G.32 G.64 G.96", c, 0xffff);
  const Result low = run_pixels("raw_send (M1, 8) 0x5 8 0 0x10030206:ud P.0 %null.0", c, 0xffff, blend);
  EXPECT_EQ(low.color, want.color);
  // The same values for slots 8 to 15: the lower two rows of subspans.
  for (const char* size : {"(M1, 16)", "(M3, 8)"}) {
    const Result high =
        run_pixels(fmt::format("raw_send {} 0x5 8 0 0x10030306:ud P.0 %null.0", size), c, 0xffff, blend);
    for (unsigned y = 0; y < 2; ++y)
      for (unsigned x = 0; x < 16; ++x) {
        if (y == 0 && x >= 8 && x < 12) continue;  // slot 4 is off: R1.7
        EXPECT_EQ(high.color[32 * (y + 2) + x], low.color[32 * y + x]) << x << " " << y;
      }
  }
}

TEST(RawRenderTarget, NeedsADispatchWithoutHeader) {
  KernelRun run(decl("P", "f", 32) + "raw_send (M1, 8) 0x5 4 0 0x08031406:ud P.0 %null.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.bindings.surfaces.resize(7);
  run.bindings.surfaces[6] = std::make_shared<image::Surface>();
  EXPECT_EQ(run.go(), Outcome::Failed);
  EXPECT_EQ(run.ids().front(), "run-rt-dispatch");
}

}  // namespace
}  // namespace heddle::engine::testing
