// SPDX-License-Identifier: MIT
// Raw LSC messages do what the lsc_ instructions do. Descriptors are those that GenX_IR makes for DG2.
#include "instructions/send_fixture.hpp"

namespace heddle::engine::testing {
namespace {

// clang-format off
/// Descriptors that GenX_IR makes for DG2; shared functions 15 global, 14 local, 13 typed memory.
const Case kLsc[] = {
    {"load", "lsc_load.ugm (M1, 16) D:d32 flat[A]:a64", "raw_sends.15.4.0.2 (M1, 16) 0x0:ud 0x8200580:ud A.0 %null.0 D.0", {}},
    {"load of two", "lsc_load.ugm (M1, 16) D:d32x2 bti(0x7)[O]:a32", "raw_sends.15.2.0.4 (M1, 16) 0x7000000:ud 0x64401500:ud O.0 %null.0 D.0", {}},
    {"load of words", "lsc_load.ugm (M1, 16) D:d16c32 bti(0x7)[O]:a32", "raw_sends.15.2.0.2 (M1, 16) 0x7000000:ud 0x64200B00:ud O.0 %null.0 D.0", {}},
    {"load of words into upper halves", "lsc_load.ugm (M1, 16) D:d16c32h bti(0x7)[O]:a32",
     "raw_sends.15.2.0.2 (M1, 16) 0x7000000:ud 0x64200D00:ud O.0 %null.0 D.0", {}},
    {"transposed load", "lsc_load.ugm (M1, 1) D:d32x16t bti(0x7)[O]:a32", "raw_sends.15.1.0.2 (M1, 1) 0x7000000:ud 0x6220D500:ud O.0 %null.0 D.0", {}},
    {"load of local memory", "lsc_load.slm (M1, 16) D:d64 flat[O]:a32", "raw_sends.14.2.0.4 (M1, 16) 0x0:ud 0x4400700:ud O.0 %null.0 D.0", {}},
    {"quad", "lsc_load_quad.ugm (M1, 16) D:d32.xz bti(0x7)[O]:a32", "raw_sends.15.2.0.4 (M1, 16) 0x7000000:ud 0x64405502:ud O.0 %null.0 D.0", {}},
    {"quad of eight lanes", "lsc_load_quad.ugm (M1, 8) D:d32.xz bti(0x7)[O]:a32", "raw_sends.15.1.0.2 (M1, 8) 0x7000000:ud 0x62205502:ud O.0 %null.0 D.0", {}},
    {"predicated quad", "(P1) lsc_load_quad.ugm (M1, 16) D:d32.xz bti(0x7)[O]:a32",
     "(P1) raw_sends.15.2.0.4 (M1, 16) 0x7000000:ud 0x64405502:ud O.0 %null.0 D.0", {}},
    {"store", "lsc_store.ugm (M1, 16) bti(0x7)[O]:a32 Q:d32x2", "raw_sends.15.2.4.0 (M1, 16) 0x7000000:ud 0x64001504:ud O.0 Q.0 %null.0", {}},
    {"transposed store", "lsc_store.ugm (M1, 1) bti(0x7)[O]:a32 Q:d64x4t", "raw_sends.15.1.1.0 (M1, 1) 0x7000000:ud 0x6200B704:ud O.0 Q.0 %null.0", {}},
    {"store of quads in local memory", "lsc_store_quad.slm (M1, 16) flat[O]:a32 P:d32.xy", "raw_sends.14.2.4.0 (M1, 16) 0x0:ud 0x4003506:ud O.0 P.0 %null.0", {},
     isa::Platform::DG2, image::Format::R8G8B8A8_UNORM, "run-slm-race "},  // places of lanes overlap, values differ
    {"atomic", "lsc_atomic_iadd.ugm (M1, 16) D:d32 bti(0x7)[O]:a32 Q %null.0", "raw_sends.15.2.2.2 (M1, 16) 0x7000000:ud 0x6420050C:ud O.0 Q.0 D.0", {}},
    {"atomic compare and exchange", "lsc_atomic_icas.ugm (M1, 16) D:d32 bti(0x7)[O]:a32 Q.0 Q.64",
     "raw_sends.15.2.4.2 (M1, 16) 0x7000000:ud 0x64200512:ud O.0 Q.0 D.0", {}},
    {"increment of local memory", "lsc_atomic_iinc.slm (M1, 16) D:d32 flat[O]:a32 %null.0 %null.0",
     "raw_sends.14.2.0.2 (M1, 16) 0x0:ud 0x4200508:ud O.0 %null.0 D.0", {}},
    {"atomic without result", "lsc_atomic_fadd.ugm (M1, 16) %null:d32 flat[A]:a64 P %null.0", "raw_sends.15.4.2.0 (M1, 16) 0x0:ud 0x8000593:ud A.0 P.0 %null.0", {}},
    {"texels", "lsc_load_quad.tgm (M1, 8) D:d32.xyzw bti(0x6)[Q,Q.32]:a32", "raw_sends.13.2.0.4 (M1, 8) 0x6000000:ud 0x6440F502:ud Q.0 %null.0 D.0", {}},
    {"texels written", "lsc_store_quad.tgm (M1, 8) bti(0x6)[Q,Q.32]:a32 P:d32.xyzw", "raw_sends.13.2.4.0 (M1, 8) 0x6000000:ud 0x6400F506:ud Q.0 P.0 %null.0", {}},
    {"texel atomic", "lsc_atomic_iadd.tgm (M1, 8) D:d32 bti(0x6)[Q,Q.32]:a32 Q %null.0", "raw_sends.13.2.1.1 (M1, 8) 0x6000000:ud 0x6410050C:ud Q.0 Q.0 D.0", {},
     isa::Platform::DG2, image::Format::R32_UINT},
    {"strided load", "lsc_load_strided.ugm (M1, 16) D:d32 bti(0x7)[H,12]:a32", "raw_sends.15.1.0.2 (M1, 16) 0x7000000:ud 0x62200501:ud H.0 %null.0 D.0", {{0, 8}, {2, 12}}},
    {"status", "lsc_load_status.ugm (M1, 16) D:d32 flat[A]:a64", "raw_sends.15.4.0.1 (M1, 16) 0x0:ud 0x0810059B:ud A.0 %null.0 D.0", {}},
};
// clang-format on

TEST(RawLsc, DoesWhatTheNamedInstructionDoes) {
  for (Case c : kLsc) {
    c.platform = isa::Platform::DG2;
    for (const std::uint32_t mask : {0xffffu, 0x9a6fu}) expect_same(c, mask);
  }
}

/// Registers of 64 bytes: rectangles, and the layout of 32 lanes.
TEST(RawLsc, OnPvc) {
  const std::vector<std::pair<unsigned, std::uint32_t>> rectangle = {{0, 0x10000}, {2, 63}, {3, 7},    {4, 63},
                                                                     {5, 2},       {6, 1},  {7, 0x307}};
  const Case kOnPvc[] = {
      {"rectangle", "lsc_load_block2d.ugm (M1, 1) D:d32.8x4nn flat[B,0x3f,0x7,0x3f,0x2,0x1]",
       "raw_sends.15.1.0.2 (M1, 1) 0x0:ud 0x02200403:ud H.0 %null.0 D.0", rectangle},
      {"rectangle written", "lsc_store_block2d.ugm (M1, 1) flat[B,0x3f,0x7,0x3f,0x2,0x1] Q:d32.8x4nn",
       "raw_sends.15.1.2.0 (M1, 1) 0x0:ud 0x02000407:ud H.0 Q.0 %null.0", rectangle},
      {"load",
       "lsc_load.ugm (M1, 16) D:d32 flat[A]:a64",
       "raw_sends.15.2.0.1 (M1, 16) 0x0:ud 0x04100580:ud A.0 %null.0 D.0",
       {}},
  };
  for (Case c : kOnPvc) {
    c.platform = isa::Platform::PVC;
    expect_same(c, 0xffff);
  }
}

/// A narrow instruction whose message has the registers of a wide one, as the finalizer makes for early steppings.
TEST(RawLsc, WidthByRegisters) {
  Fixture f("raw_sends.15.2.0.4 (M1, 8) 0x7000000:ud 0x64405502:ud O.0 %null.0 D.0",
            {"", "", "", {}, isa::Platform::DG2});
  ASSERT_TRUE(f.run->ready());
  ASSERT_EQ(f.run->go(), Outcome::Finished) << reports_of(*f.run);
  const Words d = f.run->get<std::uint32_t>("D", 32), o = f.run->get<std::uint32_t>("O", 16);
  for (unsigned k = 0; k < 8; ++k) {
    Words xyz(3);
    std::memcpy(xyz.data(), f.buffer->memory->data() + o[k], 12);
    EXPECT_EQ(d[k], xyz[0]);
    EXPECT_EQ(d[16 + k], xyz[2]);
  }
  EXPECT_EQ(d[8], 0x77777777u);
}

TEST(RawLsc, RefusesByName) {
  const Refusal kLines[] = {
      {"raw_sends.15.1.0.1 (M1, 8) 0x0:ud 0x0210051E:ud O.0 %null.0 D.0", "message 'read_state'"},
      {"raw_sends.15.1.0.1 (M1, 8) 0x0:ud 0x02100528:ud O.0 %null.0 D.0", "append counters"},
      {"raw_sends.15.1.0.1 (M1, 8) 0x0:ud 0x0210053F:ud O.0 %null.0 D.0", "operation 0x3f is not defined"},
      {"raw_sends.13.1.0.1 (M1, 8) 0x0:ud 0x02100500:ud O.0 %null.0 D.0", "typed memory has quads and atomics"},
      {"raw_sends.15.1.0.1 (M1, 8) 0x0:ud 0x02100400:ud O.0 %null.0 D.0", "address size 0"},
      {"raw_sends.8.1.0.1 (M1, 8) 0x0:ud 0x02100400:ud O.0 %null.0 D.0", "of the ray tracing"},
      {"raw_sends.7.1.0.1 (M1, 8) 0x0:ud 0x02100400:ud O.0 %null.0 D.0", "of the bindless thread dispatcher"},
  };
  for (const Refusal& r : kLines) {
    SCOPED_TRACE(r.line);
    Fixture f(r.line, {"", "", "", {}, isa::Platform::DG2});
    ASSERT_TRUE(f.run->ready());
    EXPECT_EQ(f.run->go(), Outcome::Failed);
    ASSERT_FALSE(f.run->diagnostics.empty());
    EXPECT_NE(f.run->diagnostics.all().front().message.find(r.says), std::string::npos)
        << f.run->diagnostics.all().front().message;
  }
}

}  // namespace
}  // namespace heddle::engine::testing
