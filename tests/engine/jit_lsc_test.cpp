// SPDX-License-Identifier: MIT
// Load and store messages into %null, in the forms of later releases, and of variables that they do not fill, on both
// engines.
// Rules: LD-11 to LD-14, ENC-39, NUM-100.
#include <random>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

constexpr std::uint64_t kBase = 0x100000000;

#define NEEDS_COMPILER() \
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM"

/// A buffer of 1,024 bytes at kBase, as index 0 and handle 64, an image as index 1; A: addresses in it, O: offsets, B:
/// a base.
std::string variables(unsigned grf) {
  const unsigned at = 4 * grf;
  return decl("A", "uq", 64) + decl("O", "ud", 64) + decl("X", "ud", 512) + decl("B", "uq", 8) + decl("D", "ud", 512) +
         ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n" +
         ".input A offset=" + std::to_string(at) + " size=512\n.input O offset=" + std::to_string(at + 512) +
         " size=256\n.input X offset=" + std::to_string(at + 768) +
         " size=2048\n.input B offset=" + std::to_string(at + 2816) + " size=64\n";
}

void compare(const std::string& line, isa::Platform platform, unsigned grf, const std::string& more = {}) {
  SCOPED_TRACE(line);
  BothEngines both(variables(grf) + more + line + "\nret (M1, 1)\n", platform);
  std::mt19937 random(17);
  const auto buffer = buffer_of(1024);
  for (auto& byte : *buffer->memory) byte = static_cast<std::uint8_t>(random());
  ASSERT_TRUE(both.bindings.memory.add({kBase, buffer->memory->size(), buffer->memory->data(), nullptr, "m"}));
  const auto sampler = std::make_shared<image::Sampler>();
  bind(both.bindings, buffer, texture_of("R8G8B8A8_UNORM", 16, 8, random), sampler);
  both.bindings.bindless_surfaces[64] = buffer;
  for (unsigned k = 0; k < 64; ++k) {
    const std::uint64_t address = kBase + 8 * k;
    const std::uint32_t offset = 4 * k;
    std::memcpy(both.payload.data() + 4 * grf + 8 * k, &address, 8);
    std::memcpy(both.payload.data() + 4 * grf + 512 + 4 * k, &offset, 4);
  }
  for (unsigned i = 0; i < 2048; ++i) both.payload[4 * grf + 768 + i] = static_cast<std::uint8_t>(random());
  const std::uint64_t base = kBase + 64;
  std::memcpy(both.payload.data() + 4 * grf + 2816, &base, 8);
  EXPECT_TRUE(both.agree(16, 0xffff));
  EXPECT_TRUE(both.agree(16, 0x5a5a));
}

TEST(JitLsc, ResultsIntoNullAreDropped) {
  NEEDS_COMPILER();
  for (const std::string line :
       {"svm_gather.4.2 (M1, 16) A.0 %null.0", "svm_block_ld.unaligned (2) A(0,0)<0;1,0> D.0",
        "svm_block_ld (2) A(0,0)<0;1,0> %null.0", "svm_gather4scaled.RG (M1, 16) 0x4:uq A.0 %null.0",
        "gather4_scaled.RB (M1, 16) T6 0x0:ud O.0 %null.0", "gather_scaled.2 (M1, 16) T6 0x0:ud O.0 %null.0",
        "gather.4 (M1, 16) T6 0x0:ud O.0 %null.0", "oword_ld (2) T6 0x0:ud %null.0",
        "oword_ld_unaligned (2) T6 0x4:ud %null.0", "gather4_typed.RG (M1, 8) T7 O.0 O.0 %null.0 %null.0 %null.0",
        "resinfo.RGBA (M1, 16) T7 X.0 %null.0", "sampleinfo.R (M1, 16) T7 %null.0",
        "sample_lz.RGBA (M1, 16) 0x0:uw S0 T7 %null.0 X.0 X.64", "sample4.R (M1, 16) 0x0:uw S0 T7 %null.0 X.0 X.64",
        "load_lz.RGBA (M1, 16) 0x0:uw T7 %null.0 O.0 O.64",
        "sample_unorm.R.16-full S0 T7 0x0:f 0x0:f 0x3c000000:f 0x3c000000:f %null.0",
        "svm_atomic.add (M1, 16) A.0 %null.0 X.0 %null.0"})
    compare(line, isa::Platform::SKL, 32);
}

TEST(JitLsc, Prefetches) {
  NEEDS_COMPILER();
  for (const std::string line :
       {"lsc_load.ugm (M1, 16) %null:d32 flat[A]:a64", "lsc_load.ugm.ca.ca (M1, 16) %null:d32x4 flat[A]:a64",
        "lsc_load.ugm (M1_NM, 1) %null:d32x16t flat[A]:a64", "lsc_load.slm (M1, 16) %null:d32 flat[O]:a32",
        "lsc_load_quad.ugm (M1, 16) %null:d32.xz bti(0x0)[O]:a32",
        "lsc_load_strided.ugm (M1, 16) %null:d32 flat[A,4]:a64", "lsc_load_status.ugm (M1, 16) %null:d32 flat[A]:a64",
        "lsc_load_quad.tgm (M1, 16) %null:d32.xy bti(0x1)[O,O]:a32",
        "lsc_load_block2d.ugm (M1_NM, 1) %null:d32.8x2nn flat[A,0x3f,0x7,0x3f,O,O]",
        // Far from everything: no fault.
        "lsc_load.ugm (M1, 16) %null:d32 flat[X]:a64", "lsc_load_quad.ugm (M1, 16) %null:d32.x bti(0x9)[O]:a32"})
    compare(line, isa::Platform::PVC, 64);
}

TEST(JitLsc, TextOfLaterReleases) {
  NEEDS_COMPILER();
  for (const std::string line : {"lsc_load.ugm.ca.ca.uc (M1, 16) D:d8u32 flat[A]:a64",
                                 "lsc_load.ugm (M1, 16) D:d16u32 flat[A]:a64",
                                 "lsc_load.ugm (M1, 16) D:d16u32h flat[A]:a64",
                                 "lsc_store.ugm.wb.wb.uc (M1, 16) flat[A]:a64 X:d16u32",
                                 "lsc_load.ugm (M1, 16) D:d32 flat(B)[O]:a32u",
                                 "lsc_load.ugm (M1, 16) D:d32x2 flat(B)[2*O-0x10]:a32s",
                                 "lsc_load.ugm (M1, 16) D:d32 flat(0x100000010)[O]:a32u",
                                 "lsc_load.ugm (M1, 16) D:d32 flat(B)[O]:a64",
                                 "lsc_load.ugm (M1, 16) D:d32 surf(0x40)[O]:a32u",
                                 "lsc_store.ugm (M1, 16) surf(0x0,0x1)[O+0x10]:a32u X:d32",
                                 "lsc_atomic_fadd.ugm (M1, 16) D:d32 surf(0x40)[O]:a32u X %null",
                                 "lsc_atomic_bfadd.ugm (M1, 16) D:d16u32 flat[A]:a64 X %null",
                                 "lsc_atomic_bfsub.ugm (M1, 16) D:d16u32 flat[A]:a64 X %null",
                                 "lsc_atomic_bfmin.ugm (M1, 16) %null:d16u32 flat[A]:a64 X %null",
                                 "lsc_atomic_bfmax.ugm (M1, 16) D:d16u32 flat[A]:a64 X %null",
                                 "lsc_atomic_bfcas.ugm (M1, 16) D:d16u32 flat[A]:a64 X X.64",
                                 "lsc_load_block2d.ugm.ca.ca.uc (M1_NM, 1) D:d32.8x2nn flat[B,0x3f,0x7,0x3f,O+2,O+1]",
                                 "lsc_store_block2d.ugm (M1_NM, 1) flat[B,0x3f,0x7,0x3f,O+4,O-1] X:d32.8x2nn",
                                 "lsc_load_block2d.tgm.uc.uc.uc D:16x2 bti(0x1)[O,O]",
                                 "lsc_store_block2d.tgm bti(0x1)[O+8,O+2] X:16x2"})
    compare(line, isa::Platform::XE3P, 64);
}

TEST(JitLsc, StoresOfSmallVariablesAndAliasesOfThePointers) {
  NEEDS_COMPILER();
  const std::string small = decl("Q", "uq", 1) + ".decl SP v_type=G type=uq num_elts=1 alias=<%sp,0>\n" +
                            ".decl FP v_type=G type=uq num_elts=1 alias=<%fp,0>\n";
  compare(
      "mov (M1_NM, 1) SP(0,0)<1> A(0,4)<0;1,0>\nmov (M1_NM, 1) FP(0,0)<1> SP(0,0)<0;1,0>\n"
      "mov (M1_NM, 1) Q(0,0)<1> %fp(0,0)<0;1,0>\nsvm_block_st (1) FP(0,0)<0;1,0> Q.0",
      isa::Platform::SKL, 32, small);
}

}  // namespace
}  // namespace heddle::engine::testing
