// SPDX-License-Identifier: MIT
// raw_send, raw_sends: a message does what the named instruction does for which the finalizer makes it. Descriptors are
// those that GenX_IR makes for SKL, with this test's surface numbers.
#include <random>

#include "instructions/send/message.hpp"
#include "instructions/send_fixture.hpp"

namespace heddle::engine::testing {
namespace {

// clang-format off
const Case kCases[] = {
    // sampler
    {"gather4 with header", "sample4.G (M1, 16) 0x12f:uw S0 T6 D.0 P.0 P.64",
     "raw_sends.2.1.4.8 (M1, 16) 0x102:ud 0x028C8306:ud H.0 P.0 D.0", {{2, 0x1012f}}},
    {"gather4 of red without header", "sample4.R (M1, 8) 0x0:uw S0 T6 D.0 P.0 P.32",
     "raw_send (M1, 8) 0x2 2 4 0x04428306:ud P.0 D.0", {}},
    {"gather4 with null mask", "sample4.pixel_null_mask.A (M1, 8) 0x0:uw S0 T6 D.0 P.0 P.32",
     "raw_sends.2.1.2.5 (M1, 8) 0x82:ud 0x025A8306:ud H.0 P.0 D.0", {{2, 0x830000}}},
    {"sample split between parameters", "sample_3d.RGBA (M1, 8) 0x0:uw S0 T6 D.0 P.0 P.32",
     "raw_sends.2.1.1.4 (M1, 8) 0x42:ud 0x02420306:ud P.0 P.32 D.0", {}},
    {"sample split inside a parameter", "sample_l.RGBA (M1, 16) 0x0:uw S0 T6 D.0 P.0 P.64 P.128",
     "raw_sends.2.3.3.8 (M1, 16) 0xC2:ud 0x06842306:ud P.0 P.96 D.0", {}},
    {"sample_l with channels", "sample_l.RB (M1, 16) 0x0:uw S0 T6 D.0 P.0 P.64 P.128",
     "raw_sends.2.1.6.4 (M1, 16) 0x182:ud 0x024C2306:ud H.0 P.0 D.0", {{2, 0xa000}}},
    {"sample_lz, response of two channels", "sample_lz.RG (M1, 8) 0x0:uw S0 T6 D.0 P.0 P.32",
     "raw_send (M1, 8) 0x2 2 2 0x04238306:ud P.0 D.0", {}, isa::Platform::SKL},
    {"sample of halves into halves", "sample_3d.RGBA (M1, 16) 0x0:uw S0 T6 E.0 F.0 F.32",
     "raw_send (M1, 16) 0x2 2 4 0x64440306:ud F.0 D.0", {}},
    {"predicated sample", "(P1) sample_lz.RGBA (M1, 8) 0x0:uw S0 T6 D.0 P.0 P.32",
     "(P1) raw_send (M1, 8) 0x2 2 4 0x04438306:ud P.0 D.0", {}},
    {"load", "load_3d.RGBA (M1, 8) 0x0:uw T6 D.0 Q.0 Q.32 Q.64", "raw_send (M1, 8) 0x2 3 4 0x06427006:ud Q.0 D.0", {}},
    {"resinfo", "resinfo.RGBA (M1, 8) T6 Q.0 D.0", "raw_sends.2.1.0.4 (M1, 8) 0x2:ud 0x0242A006:ud Q.0 %null.0 D.0", {}},
    {"resinfo of green and alpha", "resinfo.GA (M1, 8) T6 Q.0 D.0",
     "raw_sends.2.1.1.2 (M1, 8) 0x42:ud 0x022AA006:ud H.0 Q.0 D.0", {{2, 0x5000}}},
    {"sample_unorm", "sample_unorm.RGBA.16-full S0 T6 P(0,0)<0;1,0> P(0,1)<0;1,0> 0x3d800000:f 0x3e000000:f D.0",
     "mov (M1_NM, 2) H(1,2)<1> Q2(0,0)<1;1,0>\nraw_send (M1, 32) 0x2 2 8 0x048EC306:ud H.0 D.0",
     {{12, 0x3d800000}, {13, 0x3e000000}}},
    {"cache flush", "sampler_cache_flush", "raw_send (M1, 8) 0x2 1 0 0x020FF000:ud H.0 %null.0", {}},
    {"sample with registers of 64 bytes", "sample_3d.RGBA (M1, 16) 0x0:uw S0 T6 D.0 P.0 P.64",
     "raw_sends.2.2.0.4 (M1, 16) 0x0:ud 0x04420306:ud P.0 %null.0 D.0", {}, isa::Platform::XE2},
    {"biased sample, third parameter in the second payload", "sample_b.RG (M1, 8) 0x0:uw S0 T6 D.0 P.0 P.32 P.64",
     "raw_sends.2.2.1.2 (M1, 8) 0x42:ud 0x04221306:ud P.0 P.64 D.0", {}},
    // data cache 0
    {"oword block read", "oword_ld (4) T7 0x2:ud D.0", "raw_send (M1_NM, 16) 0xA 1 2 0x02280307:ud H.0 D.0", {{2, 2}}},
    {"oword block write", "oword_st (4) T7 0x2:ud Q.0",
     "raw_sends.10.1.2.0 (M1_NM, 16) 0x8A:ud 0x020A0307:ud H.0 Q.0 %null.0", {{2, 2}}},
    {"oword block write in one payload", "oword_st (2) T7 0x4:ud H.32", "raw_send (M1_NM, 8) 0xA 2 0 0x040A0207:ud H.0 %null.0",
     {{2, 4}, {8, 81}, {9, 82}, {15, 83}}},
    {"unaligned oword block read", "oword_ld_unaligned (2) T7 0x14:ud D.0", "raw_send (M1_NM, 8) 0xA 1 1 0x02184207:ud H.0 D.0",
     {{2, 0x14}}},
    {"block of shared local memory", "oword_ld (2) %slm 0x3:ud D.0", "raw_send (M1_NM, 8) 0xA 1 1 0x021802FE:ud H.0 D.0", {{2, 3}}},
    {"constant oword block read", "oword_ld (4) T7 0x2:ud D.0", "raw_send (M1_NM, 16) 0x9 1 2 0x02280307:ud H.0 D.0", {{2, 2}}},
    {"byte gather", "gather_scaled.1 (M1, 8) T7 0x0:ud O.0 D.0", "raw_send (M1, 8) 0xA 1 1 0x02110007:ud O.0 D.0", {}},
    {"byte gather of dwords", "gather_scaled.4 (M1, 16) T7 0x0:ud O.0 D.0",
     "raw_send (M1, 16) 0xA 2 2 0x04210907:ud O.0 D.0", {}},
    {"byte gather with global offset", "gather_scaled.2 (M1, 8) T7 0x10:ud O.0 D.0",
     "raw_sends.10.1.1.1 (M1, 8) 0x4A:ud 0x02190407:ud H.0 O.0 D.0", {{2, 0x10}}},
    {"byte scatter", "scatter_scaled.2 (M1, 8) T7 0x0:ud O.0 Q.0",
     "raw_sends.10.1.1.0 (M1, 8) 0x4A:ud 0x02030407:ud O.0 Q.0 %null.0", {}},
    {"dword gather", "gather.4 (M1, 8) T7 0x0:ud Q.0 D.0", "raw_send (M1, 8) 0xA 1 1 0x0210C207:ud Q.0 D.0", {}},
    {"dword gather with global offset", "gather.4 (M1, 16) T7 0x3:ud Q.0 D.0",
     "raw_sends.10.1.2.2 (M1, 16) 0x8A:ud 0x0228C307:ud H.0 Q.0 D.0", {{2, 3}}},
    {"dword scatter", "scatter.4 (M1, 8) T7 0x0:ud H.0 Q.0",
     "raw_sends.10.1.1.0 (M1, 8) 0x4A:ud 0x0202C207:ud H.0 Q.0 %null.0", {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 11}, {5, 12}, {6, 13}, {7, 14}}},
    {"memory fence", "fence_global.E", "raw_send (M1_NM, 8) 0xA 1 1 0x0219E000:ud H.0 H.64", {}},
    // data cache 1
    {"untyped read", "gather4_scaled.RG (M1, 16) T7 0x0:ud O.0 D.0", "raw_send (M1, 16) 0xC 2 4 0x04405C07:ud O.0 D.0", {}},
    {"untyped read, predicated", "(!P1) gather4_scaled.RG (M1, 16) T7 0x0:ud O.0 D.0",
     "(!P1) raw_send (M1, 16) 0xC 2 4 0x04405C07:ud O.0 D.0", {}},
    {"untyped write", "scatter4_scaled.RGB (M1, 8) T7 0x0:ud O.0 Q.0",
     "raw_sends.12.1.3.0 (M1, 8) 0xCC:ud 0x02026807:ud O.0 Q.0 %null.0", {}},
    {"untyped read of shared local memory", "gather4_scaled.R (M1, 8) %slm 0x0:ud O.0 D.0",
     "raw_send (M1, 8) 0xC 1 1 0x02106EFE:ud O.0 D.0", {}},
    {"untyped read of scratch", "gather4_scaled.R (M1, 8) %scratch 0x0:ud O.0 D.0",
     "raw_send (M1, 8) 0xC 1 1 0x02106EFF:ud O.0 D.0", {}},
    {"typed read", "gather4_typed.RG (M1, 8) T6 Q.0 Q.32 %null.0 %null.0 D.0", "raw_send (M1, 8) 0xC 2 2 0x04215C06:ud Q.0 D.0", {}},
    {"typed write", "scatter4_typed.RGBA (M1, 8) T6 Q.0 Q.32 %null.0 %null.0 P.0",
     "raw_sends.12.2.4.0 (M1, 8) 0x10C:ud 0x04035006:ud Q.0 P.0 %null.0", {}},
    {"typed atomic", "typed_atomic.add (M1, 8) T6 Q.0 Q.32 %null.0 %null.0 Q.64 %null.0 D.0",
     "raw_sends.12.2.1.1 (M1, 8) 0x4C:ud 0x0411A706:ud Q.0 Q.64 D.0", {}, isa::Platform::SKL, image::Format::R32_UINT},
    {"untyped compare and exchange", "dword_atomic.cmpxchg (M1, 8) T7 O.0 Q.0 Q.32 D.0",
     "mov (M1_NM, 8) H(0,0)<1> Q(1,0)<8;8,1>\nmov (M1_NM, 8) H(1,0)<1> Q(0,0)<8;8,1>\n"
     "raw_sends.12.1.2.1 (M1, 8) 0x8C:ud 0x0210BE07:ud O.0 H.0 D.0", {}},
    {"untyped increment", "dword_atomic.inc (M1, 16) T7 O.0 %null.0 %null.0 D.0",
     "raw_send (M1, 16) 0xC 2 2 0x0420A507:ud O.0 D.0", {}},
    {"untyped float maximum", "dword_atomic.fmax (M1, 8) T7 O.0 P.0 %null.0 D.0",
     "raw_sends.12.1.1.1 (M1, 8) 0x4C:ud 0x0216F107:ud O.0 P.0 D.0", {}},
    {"A64 atomic", "svm_atomic.add (M1, 8) A.0 D.0 Q.0 %null.0", "raw_sends.12.2.1.1 (M1, 8) 0x4C:ud 0x0414A7FF:ud A.0 Q.0 D.0", {}},
    {"A64 atomic of 64 bits", "svm_atomic.add.64 (M1, 8) A.0 D.0 Q.0 %null.0",
     "raw_sends.12.2.2.2 (M1, 8) 0x8C:ud 0x0424B7FF:ud A.0 Q.0 D.0", {}},
    {"A64 dword gather", "svm_gather.4.2 (M1, 8) A.0 D.0", "raw_send (M1, 8) 0xC 2 2 0x042405FF:ud A.0 D.0", {}},
    {"A64 byte gather", "svm_gather.1.2 (M1, 16) A.0 D.0", "raw_send (M1, 16) 0xC 4 2 0x082414FF:ud A.0 D.0", {}},
    {"A64 qword scatter", "svm_scatter.8.1 (M1, 8) A.0 Q.0", "raw_sends.12.2.2.0 (M1, 8) 0x8C:ud 0x040682FF:ud A.0 Q.0 %null.0", {}},
    {"A64 untyped read", "svm_gather4scaled.RGBA (M1, 8) Z(0,0)<0;1,0> A.0 D.0", "raw_send (M1, 8) 0xC 2 4 0x044460FF:ud A.0 D.0", {}},
    {"A64 block read", "svm_block_ld (4) A(0,1)<0;1,0> D.0",
     "raw_send (M1_NM, 16) 0xC 1 2 0x022D03FF:ud A.8 D.0", {}},
    {"A64 block write", "svm_block_st (4) A(0,1)<0;1,0> Q.0",
     "mov (M1_NM, 2) H(0,0)<1> AD(0,2)<2;2,1>\nraw_sends.12.1.2.0 (M1_NM, 16) 0x8C:ud 0x020D43FF:ud H.0 Q.0 %null.0", {}},
    {"media block read", "media_ld.nomod (16,4) T6 0x4:ud 0x2:ud D.0", "raw_send (M1_NM, 8) 0xC 1 2 0x02290006:ud H.0 D.0",
     {{0, 4}, {1, 2}, {2, 0x3000f}}},
    {"media block read of the top field", "media_ld.top (8,4) T6 0x4:ud 0x0:ud D.0",
     "raw_send (M1_NM, 8) 0xC 1 1 0x02190606:ud H.0 D.0", {{0, 4}, {2, 0x30007}}},
    {"media block read of the bottom field", "media_ld.bottom (8,4) T6 0x4:ud 0x0:ud D.0",
     "raw_send (M1_NM, 8) 0xC 1 1 0x02190706:ud H.0 D.0", {{0, 4}, {2, 0x30007}}},
    {"media block write", "media_st.nomod (16,4) T6 0x4:ud 0x2:ud Q.0",
     "raw_sends.12.1.2.0 (M1_NM, 8) 0x8C:ud 0x020A8006:ud H.0 Q.0 %null.0", {{0, 4}, {1, 2}, {2, 0x3000f}}},
    {"media block of the next plane", "media_ld.nomod (8,4) T5 1 0x4:ud 0x0:ud D.0",
     "raw_send (M1_NM, 8) 0xC 1 1 0x02190006:ud H.0 D.0", {{0, 4}, {2, 0x30007}}},
};
// clang-format on

TEST(RawSend, DoesWhatTheNamedInstructionDoes) {
  for (const Case& c : kCases)
    for (const std::uint32_t mask : {0xffffu, 0x9a6fu}) expect_same(c, mask);
}

/// Descriptors from registers, and raw_sendsc, raw_sends_eot.
TEST(RawSend, RunTimeDescriptors) {
  const std::string named = "gather4_scaled.RG (M1, 16) T7 0x0:ud O.0 D.0";
  expect_same({"descriptor", named, "raw_send (M1, 16) 0xC 2 4 H(0,1)<0;1,0> O.0 D.0", {{1, 0x04405C07}}}, 0xffff);
  expect_same({"both",
               named,
               "raw_sends.12.2.0.4 (M1, 16) H(0,0)<0;1,0> H(0,1)<0;1,0> O.0 %null.0 D.0",
               {{0, 0xc}, {1, 0x04405C07}}},
              0xffff);
  expect_same({"sendsc", named, "raw_sendsc.2.0.4 (M1, 16) 0xC:ud 0x04405C07:ud O.0 %null.0 D.0", {}}, 0xffff);
}

TEST(RawSend, EndOfThread) {
  for (const char* line : {"raw_sends_eot.12.1.1.0 (M1, 8) 0x4C:ud 0x02026E07:ud O.0 Q.0 %null.0",
                           "raw_send (M1, 8) 0x2C 2 0 0x04026E07:ud O.0 %null.0"}) {
    Fixture f(std::string(line) + "\nmov (M1_NM, 1) D(0,0)<1> 0x1:ud", {});
    ASSERT_TRUE(f.run->ready());
    ASSERT_EQ(f.run->go(), Outcome::Finished) << line;
    EXPECT_EQ(f.run->get<std::uint32_t>("D", 1)[0], 0x77777777u) << line;
  }
}

/// A message wider than its instruction, and one narrower.
TEST(RawSend, LanesOfMessageAndInstruction) {
  const std::string wide = "raw_send (M1, 8) 0xC 2 2 0x04205E07:ud O.0 D.0",
                    narrow = "raw_send (M1, 16) 0xC 1 1 0x02106E07:ud O.0 D.0";
  for (const std::string& line : {wide, narrow}) {
    Fixture f(line, {});
    ASSERT_TRUE(f.run->ready());
    ASSERT_EQ(f.run->go(), Outcome::Finished);
    const Words d = f.run->get<std::uint32_t>("D", 16), o = f.run->get<std::uint32_t>("O", 16);
    for (unsigned k = 0; k < 8; ++k) {
      std::uint32_t word = 0;
      std::memcpy(&word, f.buffer->memory->data() + o[k], 4);
      EXPECT_EQ(d[k], word);
    }
    for (unsigned k = 8; k < 16; ++k) EXPECT_EQ(d[k], 0x77777777u);
  }
}

/// The second slot group of a typed message is lanes 8 to 15.
TEST(RawSend, TypedSlotGroup) {
  Fixture f("raw_send (M1, 16) 0xC 2 1 0x04116E06:ud Q.0 D.0", {});
  f.picture->format = image::Format::R32_UINT;
  ASSERT_TRUE(f.run->ready());
  f.run->start(0x0f00);
  Words q(64);
  for (unsigned i = 0; i < 8; ++i) q[i] = i;
  f.run->set("Q", q).set("D", Words(128, 5)).set("H", Words(24));
  ASSERT_EQ(f.run->go(), Outcome::Finished);
  const Words d = f.run->get<std::uint32_t>("D", 8);
  for (unsigned k = 0; k < 8; ++k) {
    std::uint32_t texel = 0;
    std::memcpy(&texel, f.picture->memory->data() + 4 * k, 4);
    EXPECT_EQ(d[k], k < 4 ? texel : 5u) << k;
  }
}

TEST(RawSend, ScratchBlocks) {
  Fixture f(
      "raw_sends.10.1.1.0 (M1_NM, 8) 0x4A:ud 0x020E0001:ud H.0 Q.0 %null.0\n"
      "raw_send (M1_NM, 8) 0xA 1 1 0x021C0001:ud H.0 D.0",
      {});
  ASSERT_TRUE(f.run->ready());
  ASSERT_EQ(f.run->go(), Outcome::Finished);
  EXPECT_EQ(f.run->get<std::uint32_t>("D", 8), f.run->get<std::uint32_t>("Q", 8));
  EXPECT_EQ(std::memcmp(f.scratch.data() + 32, f.run->get<std::uint32_t>("Q", 8).data(), 32), 0);
}

TEST(RawSend, SingleOwordInTheUpperHalf) {
  Fixture f("raw_send (M1_NM, 8) 0xA 1 1 0x02180107:ud H.0 D.0", {"", "", "", {{2, 1}}});
  ASSERT_TRUE(f.run->ready());
  ASSERT_EQ(f.run->go(), Outcome::Finished);
  const Words d = f.run->get<std::uint32_t>("D", 8);
  EXPECT_EQ(d[3], 0x77777777u);
  EXPECT_EQ(std::memcmp(&d[4], f.buffer->memory->data() + 16, 16), 0);
}

/// Header dword 7 switches lanes off.
TEST(RawSend, LaneMaskOfTheHeader) {
  Fixture f("raw_sends.12.1.1.1 (M1, 8) 0x4C:ud 0x02186E07:ud H.0 O.0 D.0", {"", "", "", {{7, 0x0f}}});
  ASSERT_TRUE(f.run->ready());
  ASSERT_EQ(f.run->go(), Outcome::Finished);
  const Words d = f.run->get<std::uint32_t>("D", 8);
  EXPECT_NE(d[3], 0x77777777u);
  EXPECT_EQ(d[4], 0x77777777u);
}

/// Sampler states beyond the sixteenth, and bindless ones, by header dword 3.
TEST(RawSend, SamplerByHeader) {
  for (const bool bindless : {false, true}) {
    Fixture f("raw_sends.2.1.2.4 (M1, 8) 0x82:ud 0x024B8006:ud H.0 P.0 D.0", {"", "", "", {{3, 0x100}}});
    ASSERT_TRUE(f.run->ready());
    if (bindless) {
      f.run->bindings.bindless_samplers[0x100] = f.run->bindings.samplers[kSampler];
    } else {
      f.run->bindings.samplers.resize(17);
      f.run->bindings.samplers[16] = f.run->bindings.samplers[kSampler];
    }
    f.run->bindings.samplers[0] = nullptr;
    EXPECT_EQ(f.run->go(), Outcome::Finished) << reports_of(*f.run);
  }
}

const Refusal kRefusals[] = {
    {"raw_send (M1, 8) 0x3 1 0 0x02000004:ud H.0 %null.0", "message 'barrier' of the message gateway"},
    {"raw_send (M1, 8) 0x6 1 0 0x02080007:ud H.0 %null.0", "message 'SIMD8 write' of the URB"},
    {"raw_send (M1, 8) 0x27 1 0 0x02000010:ud H.0 %null.0", "message 'end of thread' of the thread spawner"},
    {"raw_send (M1, 8) 0x8 1 1 0x02180000:ud H.0 D.0", "of the video motion estimation"},
    {"raw_send (M1, 8) 0xB 1 1 0x02100000:ud H.0 D.0", "of the pixel interpolator"},
    {"raw_send (M1, 8) 0x4 1 1 0x02100000:ud H.0 D.0", "of the data cache 2"},
    {"raw_send (M1, 8) 0xD 1 1 0x02100000:ud H.0 D.0", "of the check and refinement engine"},
    {"raw_send (M1, 8) 0x2 2 4 0x0442D306:ud P.0 D.0", "is not defined"},
    {"raw_send (M1, 8) 0x2 2 4 0x04436306:ud P.0 D.0", "message 'sample_min'"},
    {"raw_send (M1, 8) 0x2 2 4 0x04416306:ud P.0 D.0", "SIMD mode 0 is not defined"},
    {"raw_send (M1, 8) 0x2 2 4 0x0443E306:ud P.0 D.0", "message 'ld2dms'"},
    {"raw_send (M1, 8) 0x2 2 4 0x048E0306:ud P.0 D.0", "message 'sample_unorm'"},
    {"raw_send (M1, 8) 0x2 2 4 0x048EB306:ud P.0 D.0", "message 'sample_8x8'"},
    {"raw_send (M1, 8) 0xC 1 1 0x02104E07:ud O.0 D.0", "SIMD4x2"},
    {"raw_send (M1, 8) 0xC 1 1 0x02106F07:ud O.0 D.0", "every channel is switched off"},
    {"raw_send (M1, 8) 0xC 1 1 0x0212E507:ud O.0 D.0", "append counters"},
    {"raw_send (M1, 8) 0xA 1 1 0x02188007:ud H.0 D.0", "message 'oword dual block read'"},
    {"raw_send (M1, 8) 0xA 1 1 0x02100307:ud H.0 D.0", "there is none"},
    {"raw_send (M1, 8) 0xA 1 1 0x021A4307:ud H.0 D.0", "message 'message' of the data cache 0"},
    {"raw_send (M1, 8) 0x5 4 1 0x48134000:ud P.0 D.0", "reads return 32 bits"},
    {"raw_send (M1, 8) 0x5 4 0 0x08032700:ud P.0 %null.0", "layout 7"},
    {"raw_send (M1, 8) 0x5 4 0 0x08031406:ud P.0 %null.0", "none"},
};

TEST(RawSend, RefusesByName) {
  for (const Refusal& r : kRefusals) {
    SCOPED_TRACE(r.line);
    Fixture f(r.line, {});
    ASSERT_TRUE(f.run->ready());
    EXPECT_EQ(f.run->go(), Outcome::Failed);
    ASSERT_FALSE(f.run->diagnostics.empty());
    const base::Diagnostic& d = f.run->diagnostics.all().front();
    EXPECT_NE(d.message.find(r.says), std::string::npos) << d.message;
  }
}

TEST(RawSend, ShortMessagesAndUnboundSurfaces) {
  const std::pair<const char*, const char*> kLines[] = {
      {"raw_send (M1, 8) 0xC 1 0 0x02026E07:ud O.0 %null.0", "visa-send-length"},
      {"raw_send (M1, 8) 0x5 4 0 0x080B1406:ud P.0 %null.0", "visa-send-length"},
      {"raw_send (M1, 8) 0xC 1 1 0x02106E05:ud O.0 D.0", "run-binding-missing"},
      {"raw_send (M1, 8) 0x2 2 4 0x04438206:ud P.0 D.0", "run-binding-missing"},
      {"raw_send (M1, 8) 0xC 2 4 H(0,1)<0;1,0> O.0 D.0", "visa-send-length"},  // 3 registers sent, 2 stated
      {"raw_send (M1, 8) 0x2 2 4 0x0442A006:ud P.0 D.0", "run-send-message"},  // resinfo has one parameter
  };
  for (const auto& [line, id] : kLines) {
    SCOPED_TRACE(line);
    Fixture f(line, {"", "", "", {{1, 0x06406C07}}});
    ASSERT_TRUE(f.run->ready());
    f.run->go();
    const auto ids = f.run->ids();
    EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end()) << reports_of(*f.run);
  }
}

/// The text that dumps and traces show.
TEST(RawSend, Description) {
  struct Row {
    unsigned function;
    std::uint32_t extended, descriptor;
    const char* text;
  };
  const Row kRows[] = {
      {2, 0x102, 0x028C8306, "sampler gather4 SIMD16, surface 6, sampler 3, header, 1+4 registers sent, 8 returned"},
      {2, 0x2, 0x64440306,
       "sampler sample SIMD16, half parameters, half result, surface 6, sampler 3, 2 registers sent, 4 returned"},
      {5, 0x205, 0x040B1406,
       "render cache SIMD8 write, last target, surface 6, header, 2+8 registers sent, 0 returned"},
      {0xa, 0xa, 0x02280307, "data cache 0 oword block read, surface 7, 64 bytes, header, 1 register sent, 2 returned"},
      {0xa, 0xa, 0x021C1001,
       "data cache 0 scratch block read, scratch offset 0x20, 64 bytes, header, 1 register sent, 1 returned"},
      {0xa, 0x4a, 0x02030407, "data cache 0 byte scatter SIMD8, surface 7, 16 bits, 1+1 registers sent, 0 returned"},
      {0xc, 0xc, 0x04405C07,
       "data cache 1 untyped surface read SIMD16, surface 7, channels xy, 2 registers sent, 4 returned"},
      {0xc, 0xc, 0x042405FF,
       "data cache 1 A64 dword gather SIMD8, 64-bit addresses, 2 of 32 bits, 2 registers sent, 2 returned"},
      {0xc, 0x8c, 0x0210BEFE,
       "data cache 1 untyped atomic compare and exchange SIMD8, shared local memory, returns, 1+2 registers sent, 1 "
       "returned"},
      {3, 0x3, 0x02000004,
       "message gateway barrier (not executed: the vISA barrier instructions do what the gateway is for), "
       "1 register sent, 0 returned"},
  };
  using namespace instructions::send;
  for (const Row& row : kRows)
    EXPECT_EQ(describe(decode_message(shared_function(row.function, isa::Platform::SKL), row.extended, row.descriptor,
                                      {}, isa::Platform::SKL)),
              row.text);
}

/// Whatever the descriptors are: a text, and a run that ends with a result or a report.
TEST(RawSend, RandomDescriptors) {
  std::mt19937 engine(5);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  using namespace instructions::send;
  for (unsigned i = 0; i < 50000; ++i) {
    const auto platform = static_cast<isa::Platform>(random() % isa::kPlatformCount);
    const SendLengths sending{random() % 33u, random() % 33u, random() % 33u, 1u << random() % 6u};
    const Message m = decode_message(shared_function(random() & 15u, platform), random(), random(), sending, platform);
    EXPECT_FALSE(describe(m).empty());
    EXPECT_EQ(m.kind == MessageKind::Refused, !m.refusal.empty()) << describe(m);
  }
  constexpr std::uint32_t kFunctions[] = {2, 5, 9, 10, 12, 1, 13, 14, 15};
  for (unsigned i = 0; i < 1500; ++i) {
    Case c;
    const unsigned function = kFunctions[random() % 9u];
    const bool lsc = function == 1 || function > 12;
    c.platform = lsc ? isa::Platform::DG2 : isa::Platform::SKL;
    // Short messages mostly, and surfaces that exist.
    std::uint32_t descriptor = random() & ~0x1e000000u;
    descriptor |= (1 + random() % 4u) << 25;
    if (!lsc) descriptor = (descriptor & ~0xffu) | (6 + random() % 2u);
    const std::uint32_t extended = lsc ? (6 + random() % 2u) << 24 : function | (random() % 3u) << 6;
    for (unsigned k = 0; k < 16; ++k) c.header.emplace_back(k, random() % 64u);
    const std::string line = fmt::format("raw_sends.{}.4.2.16 (M1, {}) 0x{:x}:ud 0x{:x}:ud H.0 O.0 D.0", function,
                                         1u << random() % 5u, extended, descriptor);
    SCOPED_TRACE(line);
    Fixture f(line, c, random() & 0xffffu);
    ASSERT_TRUE(f.run->ready());
    const Outcome outcome = f.run->go();
    EXPECT_TRUE(outcome == Outcome::Finished || (outcome == Outcome::Failed && !f.run->diagnostics.empty()));
  }
}

}  // namespace
}  // namespace heddle::engine::testing
