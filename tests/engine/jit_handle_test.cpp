// SPDX-License-Identifier: MIT
// Surfaces and samplers that handles name while the program runs: %bss and S31.

#include <atomic>
#include <thread>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

/// 16 lanes; each goes through `message` with the handle of its own element, lanes of one handle together.
std::string each_handle(const std::string& message) {
  return ".decl H v_type=G type=ud num_elts=16 align=GRF\n.decl E v_type=G type=ud num_elts=1 align=GRF\n"
         ".decl U v_type=G type=ud num_elts=64 align=GRF\n.decl X v_type=G type=f num_elts=16 align=GRF\n"
         ".decl A v_type=G type=ud num_elts=64 align=GRF\n.decl P1 v_type=P num_elts=16\n"
         ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n"
         ".input H offset=32 size=64\n.input U offset=96 size=256\n.input X offset=352 size=64\n"
         "add (M1_NM, 1) E(0,0)<1> H(0,0)<0;1,0> 0x0:ud\n"
         "cmp.eq (M1, 16) P1 H(0,0)<1;1,0> E(0,0)<0;1,0>\n"
         "movs (M1_NM, 1) %bss(0) E(0,0)<0;1,0>\nmovs (M1_NM, 1) S31(0) E(0,0)<0;1,0>\n" +
         message +
         "add (M1_NM, 1) E(0,0)<1> H(1,0)<0;1,0> 0x0:ud\n"
         "cmp.eq (M1, 16) P1 H(0,0)<1;1,0> E(0,0)<0;1,0>\n"
         "movs (M1_NM, 1) %bss(0) E(0,0)<0;1,0>\nmovs (M1_NM, 1) S31(0) E(0,0)<0;1,0>\n" +
         message + "ret (M1, 1)\n";
}

struct Case {
  const char* name;
  const char* message;
};
constexpr Case kCases[] = {
    {"read", "(P1) gather_scaled.4 (M1, 16) %bss 0x0:ud U.0 A.0\n"},
    {"write", "(P1) scatter_scaled.4 (M1, 16) %bss 0x0:ud U.0 U.0\n"},
    {"atomic", "(P1) dword_atomic.add (M1, 16) %bss U.0 U.0 %null.0 A.0\n"},
    {"sample", "(P1) sample_lz.RGBA (M1, 16) 0x0:uw S31 %bss A.0 X.0 X.0\n"},
    {"sample of a plain surface", "(P1) sample_lz.RGBA (M1, 16) 0x0:uw S31 T7 A.0 X.0 X.0\n"},
    {"sample by a plain sampler", "(P1) sample_lz.RGBA (M1, 16) 0x0:uw S0 %bss A.0 X.0 X.0\n"},
    {"gather", "(P1) sample4.R (M1, 16) 0x0:uw S31 %bss A.0 X.0 X.0\n"},
    {"load", "(P1) load_lz.RGBA (M1, 16) 0x0:uw %bss A.0 U.0 U.0\n"},
    {"size", "resinfo.RGBA (M1, 16) %bss U.0 A.0\n"},
    {"typed read", "(P1) gather4_typed.R (M1, 8) %bss U.0 U.0 %null.0 %null.0 A.0\n"},
    {"typed write", "(P1) scatter4_typed.R (M1, 8) %bss U.0 U.0 %null.0 %null.0 U.0\n"},
};

/// Handles 0 and 1 are images or buffers, and samplers of two kinds.
void bind_handles(BothEngines& both, bool memory, std::string_view first, std::mt19937& random) {
  const auto buffer = buffer_of(256);
  for (auto& byte : *buffer->memory) byte = static_cast<std::uint8_t>(random());
  const auto nearest = std::make_shared<image::Sampler>(), linear = std::make_shared<image::Sampler>();
  linear->min_filter = linear->mag_filter = image::Filter::Linear;
  linear->set_api_rounding();
  bind(both.bindings, buffer, texture_of("R8G8B8A8_UNORM", 8, 8, random), nearest);
  // The engines' memory is compared where the table names it.
  for (unsigned k = 0; k < 2; ++k) {
    const auto one = memory ? buffer_of(64 + 64 * k) : texture_of(k == 0 ? first : "R32_FLOAT", 4 + k, 3, random);
    for (auto& byte : *one->memory) byte = static_cast<std::uint8_t>(random() % 64);
    both.bindings.surfaces.push_back(one);
    both.bindings.bindless_surfaces[k] = both.bindings.surfaces.back();
  }
  both.bindings.bindless_samplers[0] = linear;
  both.bindings.bindless_samplers[1] = nearest;
  for (unsigned k = 0; k < 64; ++k) {
    const std::uint32_t handle = k % 3 == 0 ? 0 : 1, place = k % 16 < 8 ? k % 4 : 4 * (k % 7);
    const float at = static_cast<float>(k) / 20 - 0.2f;
    if (k < 16) std::memcpy(both.payload.data() + 32 + std::size_t{4} * k, &handle, 4);
    std::memcpy(both.payload.data() + 96 + std::size_t{4} * k, &place, 4);
    if (k < 16) std::memcpy(both.payload.data() + 352 + std::size_t{4} * k, &at, 4);
  }
}

TEST(JitHandles, BothEnginesAgree) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const Case& one : kCases)
    for (const bool memory : {false, true}) {
      const std::string_view name = one.name;
      if (memory != (name == "read" || name == "write" || name == "atomic")) continue;
      SCOPED_TRACE(one.name);
      std::mt19937 random(5);
      BothEngines both(each_handle(one.message));
      bind_handles(both, memory, name.starts_with("typed") ? "R32_UINT" : "R8G8B8A8_UNORM", random);
      EXPECT_TRUE(both.agree(16, 0xffff));
      EXPECT_TRUE(both.agree(16, 0x1b5a));
      EXPECT_EQ(both.reference_calls, 0u) << "all of it is compiled";
    }
}

constexpr const char* kHandle =
    "add (M1_NM, 1) HANDLE(0,0)<1> ONE(0,0)<0;1,0> 7:ud\nmovs (M1_NM, 1) %bss(0) HANDLE(0,0)<0;1,0>\n";

/// Three rounds in which each lane reads by the handle of its own element, which changes from round to round, as the
/// compiler of SPIR-V writes it. `before`: what lanes compute in the round; `waits`: lanes wait elsewhere meanwhile.
std::string choice(const std::string& before, const std::string& message, bool waits,
                   const std::string& handle = kHandle) {
  return ".decl E v_type=G type=ud num_elts=16 align=GRF\n.decl O v_type=G type=ud num_elts=16 align=GRF\n"
         ".decl R v_type=G type=ud num_elts=64 align=GRF\n.decl N v_type=G type=ud num_elts=16 align=GRF\n"
         ".decl SUM v_type=G type=ud num_elts=16 align=GRF\n.decl V v_type=G type=d num_elts=16 align=GRF\n"
         ".decl BITS v_type=G type=ud num_elts=1 align=GRF\n.decl FIRST v_type=G type=ud num_elts=1 align=GRF\n"
         ".decl BYTES v_type=G type=ud num_elts=1 align=GRF\n"
         ".decl BYTES_UW v_type=G type=uw num_elts=2 align=GRF alias=<BYTES,0>\n"
         ".decl ONE v_type=G type=ud num_elts=1 align=GRF\n.decl HANDLE v_type=G type=ud num_elts=1 align=GRF\n"
         ".decl A v_type=A num_elts=1\n.decl B v_type=P num_elts=16\n.decl OTHERS v_type=P num_elts=16\n"
         ".decl AGAIN v_type=P num_elts=16\n.decl AWAY v_type=P num_elts=16\n"
         ".decl Q v_type=G type=ud num_elts=32 align=GRF\n.decl W v_type=G type=ud num_elts=16 align=GRF\n.decl T8 "
         "v_type=T num_elts=1\n"
         ".input E offset=32 size=64\n.input O offset=96 size=64\n"
         "mov (M1, 16) N(0,0)<1> 0:ud\nmov (M1, 16) SUM(0,0)<1> 0:ud\n"
         "again:\n" +
         std::string(waits ? "cmp.eq (M1, 16) AWAY O(0,0)<1;1,0> N(0,0)<1;1,0>\n(AWAY) goto (M1, 16) behind\n" : "") +
         "element:\nmov (M1, 16) V(0,0)<1> -1:d\nsetp (M1_NM, 16) B 0x0:ud\n"
         "cmp.ne (M1, 16) B V(0,0)<1;1,0> 0:d\nmov (M1_NM, 1) BITS(0,0)<1> B\n"
         "fbl (M1_NM, 1) FIRST(0,0)<1> BITS(0,0)<0;1,0>\nshl (M1_NM, 1) BYTES(0,0)<1> FIRST(0,0)<0;1,0> 2:ud\n"
         "addr_add (M1_NM, 1) A(0)<1> &E BYTES_UW(0,0)<0;1,0>\nmov (M1_NM, 1) ONE(0,0)<1> r[A(0),0]<0;1,0>:ud\n"
         "cmp.ne (M1, 16) OTHERS E(0,0)<1;1,0> ONE(0,0)<0;1,0>\n(OTHERS) goto (M1, 16) others\n" +
         before + handle + message +
         "others:\n(OTHERS) goto (M1, 16) element\n"
         "add (M1, 16) SUM(0,0)<1> SUM(0,0)<1;1,0> R(0,0)<1;1,0>\nxor (M1, 16) E(0,0)<1> E(0,0)<1;1,0> 1:ud\n"
         "behind:\nadd (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 1:ud\n"
         "cmp.lt (M1, 16) AGAIN N(0,0)<1;1,0> 3:ud\n(AGAIN) goto (M1, 16) again\nret (M1, 1)\n";
}

TEST(JitHandles, LanesReadFromWhatTheyChose) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  struct Read {
    std::string before, message;
    bool at_once = true;
  };
  const Read reads[] = {
      {"", "gather4_scaled.R (M1, 16) %bss 0x0:ud O.0 R.0\n"},
      {"", "gather4_scaled.RGBA (M1, 16) %bss 0x4:ud O.0 R.0\n"},
      {"", "gather_scaled.1 (M1, 16) %bss 0x0:ud O.0 R.0\n"},
      {"", "gather_scaled.2 (M1, 16) %bss 0x0:ud O.0 R.0\n"},
      // places that are computed in the round, and a second message
      {"mov (M1, 16) Q(0,0)<1> 8:ud\n", "gather4_scaled.RG (M1, 16) %bss 0x0:ud Q.0 R.0\n"},
      {"shl (M1, 16) Q(0,0)<1> E(0,0)<1;1,0> 2:ud\nadd (M1, 16) Q(0,0)<1> Q(0,0)<1;1,0> O(0,0)<1;1,0>\n",
       std::string("gather4_scaled.R (M1, 16) %bss 0x0:ud Q.0 R.0\nadd (M1, 16) Q(0,0)<1> Q(0,0)<1;1,0> 4:ud\n") +
           kHandle + "gather4_scaled.R (M1, 16) %bss 0x0:ud Q.0 R.64\n"},
      // between a handle's steps
      {"add (M1_NM, 1) HANDLE(0,0)<1> ONE(0,0)<0;1,0> 7:ud\nshl (M1, 16) Q(0,0)<1> E(0,0)<1;1,0> 2:ud\n"
       "add (M1, 16) Q(0,0)<1> Q(0,0)<1;1,0> O(0,0)<1;1,0>\n",
       "gather4_scaled.R (M1, 16) %bss 0x0:ud Q.0 R.0\n"},
      // what depends on the round is left to the loop: its element, a place that another lane made, another handle
      {"add (M1, 16) Q(0,0)<1> O(0,0)<1;1,0> ONE(0,0)<0;1,0>\n", "gather4_scaled.R (M1, 16) %bss 0x0:ud Q.0 R.0\n",
       false},
      {"mov (M1, 16) Q(0,0)<1> O(0,0)<1;1,0>\nadd (M1, 16) Q(0,0)<1> O(0,0)<1;1,0> Q(0,0)<0;1,0>\n",
       "gather4_scaled.R (M1, 16) %bss 0x0:ud Q.0 R.0\n", false},
      {"",
       "gather4_scaled.R (M1, 16) %bss 0x0:ud O.0 R.0\nadd (M1_NM, 1) HANDLE(0,0)<1> ONE(0,0)<0;1,0> 8:ud\n"
       "movs (M1_NM, 1) %bss(0) HANDLE(0,0)<0;1,0>\ngather4_scaled.R (M1, 16) %bss 0x0:ud O.0 R.64\n",
       false},
      // what another lane made in its row, before or behind this one's turn; and messages that a fence keeps apart
      {"mov (M1, 16) Q(2,0)<1> 0:ud\nmov (M1, 16) Q(0,0)<1> O(0,0)<1;1,0>\n",
       "gather4_scaled.R (M1, 16) %bss 0x0:ud Q.4 R.0\n", false},
      {"mov (M1, 16) Q(2,0)<1> 0:ud\nmov (M1, 16) Q(0,0)<1> O(0,0)<1;1,0>\nadd (M1, 16) W(0,0)<1> Q(0,1)<1;1,0> 0:ud\n",
       "gather4_scaled.R (M1, 16) %bss 0x0:ud O.0 R.0\n", false},
      {"",
       std::string("gather4_scaled.R (M1, 16) %bss 0x0:ud O.0 R.0\nfence_global.E\n") + kHandle +
           "gather4_scaled.R (M1, 16) %bss 0x0:ud O.0 R.64\n",
       false},
      // a message through another state than the one that was set
      {"",
       "gather4_scaled.R (M1, 16) %bss 0x0:ud O.0 R.0\nadd (M1_NM, 1) HANDLE(0,0)<1> ONE(0,0)<0;1,0> 7:ud\n"
       "movs (M1_NM, 1) T8(0) HANDLE(0,0)<0;1,0>\ngather4_scaled.R (M1, 16) %bss 0x0:ud O.0 R.64\n",
       false}};
  std::mt19937 random(7);
  for (const Read& read : reads)
    for (const bool waits : {false, true})
      for (const unsigned elements : {4u, 6u}) {  // of 5 that are there
        SCOPED_TRACE(read.before + read.message + std::to_string(elements) + (waits ? ", others wait" : ""));
        BothEngines both(choice(read.before, read.message, waits));
        both.keep_registers = elements == 4;
        both.cpu = kProcessors[waits ? std::size(kProcessors) - 1 : 0];
        both.list = true;
        for (unsigned k = 0; k < 5; ++k) {
          const auto one = buffer_of(16 + 16 * k);
          for (auto& byte : *one->memory) byte = static_cast<std::uint8_t>(random());
          both.bindings.surfaces.push_back(one);
          both.bindings.bindless_surfaces[7 + k] = both.bindings.surfaces.back();
        }
        for (unsigned k = 0; k < 16; ++k) {
          const std::uint32_t element = random() % elements, offset = 4 * (random() % 24);
          std::memcpy(both.payload.data() + 32 + std::size_t{4} * k, &element, 4);
          std::memcpy(both.payload.data() + 96 + std::size_t{4} * k, &offset, 4);
        }
        if (waits) std::memset(both.payload.data() + 96 + 20, 0, 8);
        EXPECT_TRUE(both.agree(16, 0xffff));
        EXPECT_TRUE(both.agree(16, 0x1b5a));
        if (elements < 6) EXPECT_EQ(both.reference_calls, 0u) << "all of it is compiled";
        EXPECT_EQ(both.listing.find("chosen") != std::string::npos, read.at_once);
      }
}

constexpr const char* kBothHandles =
    "add (M1_NM, 1) HANDLE(0,0)<1> ONE(0,0)<0;1,0> 7:ud\nmovs (M1_NM, 1) %bss(0) HANDLE(0,0)<0;1,0>\n"
    "movs (M1_NM, 1) S31(0) HANDLE(0,0)<0;1,0>\n";

/// Five images at handles 7 to 11, of three shapes; the last one may be of a kind that shares no call: bytes that begin
/// at no multiple of 4. Samplers of two kinds. `whole`: the lanes' places are whole numbers, else floats.
void bind_choices(BothEngines& both, bool all_share, unsigned elements, bool whole, std::mt19937& random) {
  const auto nearest = std::make_shared<image::Sampler>(), linear = std::make_shared<image::Sampler>();
  linear->min_filter = linear->mag_filter = image::Filter::Linear;
  linear->set_api_rounding();
  both.bindings.samplers = {nearest};
  both.bindings.sampler_variables[0] = {0};
  for (unsigned k = 0; k < 5; ++k) {
    const auto one = texture_of(k == 4 && !all_share ? "R8_UNORM" : "R8G8B8A8_UNORM", k == 3 ? 6 : 5, 4, random);
    if (k == 4 && !all_share) {
      one->base = 2;
      one->memory->resize(one->memory->size() + 2);
    }
    both.bindings.surfaces.push_back(one);
    both.bindings.bindless_surfaces[7 + k] = both.bindings.surfaces.back();
    both.bindings.bindless_samplers[7 + k] = k % 3 == 1 ? linear : nearest;
  }
  both.bindings.surface_variables[6] = {0};  // T8, the first one that is declared
  for (unsigned k = 0; k < 16; ++k) {
    const std::uint32_t element = random() % elements, place = random() % 6;
    const float at = static_cast<float>(random() % 64) / 40.0f - 0.3f;
    std::memcpy(both.payload.data() + 32 + std::size_t{4} * k, &element, 4);
    std::memcpy(both.payload.data() + 96 + std::size_t{4} * k, whole ? &place : static_cast<const void*>(&at), 4);
  }
}

TEST(JitHandles, LanesShareCallsOfTheImagesTheyChose) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  struct Read {
    std::string before, message;
    bool whole = false, shared = true;
    std::string handles = kBothHandles;
  };
  const std::string zero = "mov (M1, 16) Q(0,0)<1> 0:ud\n";
  const std::string zero_between =
      "add (M1_NM, 1) HANDLE(0,0)<1> ONE(0,0)<0;1,0> 7:ud\n" + zero +
      "shl (M1, 16) Q(2,0)<1> O(0,0)<1;1,0> 1:ud\nmovs (M1_NM, 1) %bss(0) HANDLE(0,0)<0;1,0>\n" +
      "mov (M1, 16) W(0,0)<1> 0:ud\nmovs (M1_NM, 1) S31(0) HANDLE(0,0)<0;1,0>\n";
  const Read reads[] = {
      {"", "sample_lz.RGBA (M1, 16) 0x0:uw S31 %bss R.0 O.0 O.0\n"},
      {"", "sample_3d.RG (M1, 16) 0x0:uw S31 %bss R.0 O.0 O.0\n"},
      {"", "sample_lz.RGBA (M1, 16) 0x0:uw S31 T8 R.0 O.0 O.0\n"},
      {"", "sample_lz.RGBA (M1, 16) 0x0:uw S0 %bss R.0 O.0 O.0\n"},
      {zero, "sample_l.RGBA (M1, 16) 0x0:uw S31 %bss R.0 Q.0 O.0 O.0\n"},
      {"", "sample_l.RGBA (M1, 16) 0x0:uw S31 %bss R.0 W.0 O.0 O.0\n", false, true, zero_between},
      {"", "sample4.G (M1, 16) 0x0:uw S31 %bss R.0 O.0 O.0\n"},
      {"", "load_lz.RGBA (M1, 16) 0x0:uw %bss R.0 O.0 O.0\n", true},
      {zero, "resinfo.RGBA (M1, 16) %bss Q.0 R.0\n"},
      {"", "load_lz.RGBA (M1, 16) 0x0:uw %bss R.0 O.0 O.0\nshl (M1, 16) R(2,0)<1> R(0,0)<1;1,0> 3:ud\n", true},
      // what would come out otherwise once more, results that are no dwords of lanes, a handle of another place
      {"add (M1, 16) Q(0,0)<1> Q(0,0)<1;1,0> 1:ud\n", "load_lz.RGBA (M1, 16) 0x0:uw %bss R.0 Q.0 O.0\n", true, false},
      {"mov (M1, 16) Q(0,0)<1> O(0,0)<1;1,0>\nmov (M1, 16) O(0,0)<1> 1:ud\n",
       "load_lz.RGBA (M1, 16) 0x0:uw %bss R.0 Q.0 Q.0\n", true, false},
      {"shr (M1, 16) Q(0,0)<1> R(0,0)<1;1,0> 30:ud\n", "load_lz.RGBA (M1, 16) 0x0:uw %bss R.0 Q.0 O.0\n", true, false},
      {"", "sample_lz.RGBA (M1, 16) 0x0:uw S31 %bss R_HF.0 O.0 O.0\n", false, false},
      {"", "sample_lz.pixel_null_mask.R (M1, 16) 0x0:uw S31 %bss R.0 O.0 O.0\n", false, false},
      {"", "load_lz.RGBA (M1, 16) 0x0:uw %bss O.0 O.0 O.0\n", true, false}};
  std::mt19937 random(7);
  for (const Read& read : reads)
    for (const bool waits : {false, true})
      for (const unsigned elements : {4u, 5u, 6u}) {  // of 5 that are there
        SCOPED_TRACE(read.before + read.message + std::to_string(elements) + (waits ? ", others wait" : ""));
        std::string text = choice(read.before + read.handles, read.message, waits, "");
        text.insert(text.find(".input"),
                    ".decl R_HF v_type=G type=hf num_elts=128 align=GRF alias=<R,0>\n.decl S0 v_type=S num_elts=1\n");
        BothEngines both(text);
        both.keep_registers = elements != 5;
        both.cpu = kProcessors[waits ? std::size(kProcessors) - 1 : 0];
        both.list = true;
        bind_choices(both, waits, elements, read.whole, random);
        EXPECT_TRUE(both.agree(16, 0xffff));
        EXPECT_TRUE(both.agree(16, 0x1b5a));
        // Elements change by 1 from round to round: of four none is one that is not there.
        if (elements == 4 && read.shared) EXPECT_EQ(both.reference_calls, 0u) << "all of it is compiled";
        EXPECT_EQ(both.listing.find("all_shared") != std::string::npos, read.shared);
      }
}

// A part of a wider instruction, or a message under a predicate, that has no lane is passed over; what is written
// without a lane is written.
TEST(JitHandles, MessagesWithoutALaneAreNotSent) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const auto text = [](const std::string& messages) {
    return ".decl C v_type=G type=ud num_elts=32 align=GRF\n.decl X v_type=G type=f num_elts=32 align=GRF\n"
           ".decl A v_type=G type=ud num_elts=72 align=GRF\n.decl B v_type=G type=ud num_elts=72 align=GRF\n"
           ".decl P1 v_type=P num_elts=32\n.decl P2 v_type=P num_elts=32\n.decl T6 v_type=T num_elts=1\n"
           ".decl T7 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n"
           ".input C offset=32 size=128\n.input X offset=160 size=128\n"
           "cmp.lt (M1, 32) P1 C(0,0)<1;1,0> 3:ud\ncmp.gt (M1, 32) P2 C(0,0)<1;1,0> 99:ud\n"
           "(P1) goto (M1, 32) over\n" +
           messages + "over:\nret (M1, 32)\n";
  };
  struct Message {
    const char* text;
    bool asked;
  };
  const Message messages[] = {
      {"sample_lz.R (M1, 16) 0x0:uw S0 T7 A.0 X.0 X.0\nsample_lz.R (M5, 16) 0x0:uw S0 T7 B.0 X.64 X.64\n", true},
      {"(P2) sample_lz.R (M1, 16) 0x0:uw S0 T7 A.0 X.0 X.0\n", true},
      {"(P2) sample_lz.pixel_null_mask.R (M1, 16) 0x0:uw S0 T7 A.0 X.0 X.0\n", false}};
  std::mt19937 random(3);
  for (const Message& message : messages) {
    SCOPED_TRACE(message.text);
    BothEngines both(text(message.text));
    both.list = true;
    bind(both.bindings, buffer_of(64), texture_of("R8G8B8A8_UNORM", 8, 8, random), std::make_shared<image::Sampler>());
    for (unsigned k = 0; k < 32; ++k) {
      const std::uint32_t count = k < 16 ? 2 : 4;
      const float at = static_cast<float>(k) / 37;
      std::memcpy(both.payload.data() + 32 + std::size_t{4} * k, &count, 4);
      std::memcpy(both.payload.data() + 160 + std::size_t{4} * k, &at, 4);
    }
    for (const std::uint32_t mask : {0xffffffffu, 0xffffu, 0xffff0000u}) EXPECT_TRUE(both.agree(32, mask));
    EXPECT_EQ(both.listing.find("send:") != std::string::npos, message.asked);
  }
}

/// A kernel whose message takes an image and a sampler by handle, and some of both.
class HandlesOfOneKernel {
 public:
  HandlesOfOneKernel() : program_(parse_kernel(each_handle(kCases[3].message), isa::Platform::SKL)) {
    std::mt19937 random(5);
    bind_choices(both_, false, 5, false, random);
    if (program_ == nullptr) return;
    const base::Limits limits;
    const auto kernel =
        reference::ResolvedKernel::prepare(*program_, program_->objects.front(), isa::Platform::SKL, limits);
    if (!kernel.ok()) return;
    jit::KernelOptions options;
    options.simd = 16;
    options.disk_cache = false;
    prepared_ = jit::PreparedKernel::create(*kernel, both_.bindings, options, why);
  }
  [[nodiscard]] bool ok() const { return prepared_ != nullptr; }
  machine::Bindings& bindings() { return both_.bindings; }
  void add_samplers(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k)
      bindings().bindless_samplers[first + k] = std::make_shared<image::Sampler>();
  }
  [[nodiscard]] const std::shared_ptr<const jit::PreparedKernel>& prepared() const { return prepared_; }
  std::unique_ptr<jit::HandleMessages> messages() {
    auto made = std::make_unique<jit::HandleMessages>();
    made->begin_run(prepared_);
    return made;
  }
  /// One more, which has met a sampler: the bytes of its places. `ends`: its run ends.
  std::size_t places_of_one_more(std::vector<std::unique_ptr<jit::HandleMessages>>& all, bool ends) {
    all.push_back(messages());
    EXPECT_NE(all.back()->find(0, {7, 7}, bindings()), nullptr);
    if (ends) all.back()->end_run();
    return all.back()->place_bytes();
  }
  std::string why;

 private:
  BothEngines both_{each_handle(kCases[3].message)};
  decltype(parse_kernel("", isa::Platform::SKL)) program_;
  std::shared_ptr<const jit::PreparedKernel> prepared_;
};

// Messages that can share a call are found for all lanes at once; those of other shapes, and those too far away, wait.
TEST(JitHandles, SharedCallsAreFoundByShapeAndPlace) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  HandlesOfOneKernel k;
  ASSERT_TRUE(k.ok()) << k.why;
  const machine::Bindings& bindings = k.bindings();
  const auto own = k.messages();
  jit::HandleMessages& messages = *own;
  const std::array<std::uint32_t, 32> elements{0, 2, 3, 1, 4, 0, 2, 9};
  const jit::LaneHandles handles{elements.data(), 7, 7};
  machine::jit::SharedCall shared;
  const machine::jit::MessageCall* const first = messages.find_shared(0, handles, 0x6f, bindings, shared);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(shared.lanes, 0x63u) << "images 0 and 2 have the same size and filter, 3 another size, 1 another filter";
  EXPECT_EQ(shared.apart[0], 0u);
  EXPECT_EQ(shared.apart[1], static_cast<std::uint32_t>(bindings.bindless_surfaces.at(9)->memory->data() -
                                                        bindings.bindless_surfaces.at(7)->memory->data()));
  EXPECT_EQ(shared.apart[2], 0u) << "lanes that are not taken";
  EXPECT_EQ(messages.find_shared(0, handles, 0x63, bindings, shared), first);
  EXPECT_NE(messages.find_shared(0, handles, 0x2c, bindings, shared), first);
  EXPECT_EQ(shared.lanes, 0x4u);
  EXPECT_NE(messages.find(0, {11, 11}, bindings), nullptr);
  EXPECT_EQ(messages.find_shared(0, handles, 0x10, bindings, shared), nullptr) << "bytes at such a place share none";
  EXPECT_EQ(messages.find_shared(0, handles, 0x80, bindings, shared), nullptr) << "no image has the handle";
}

// The places where a site looks first count as what is kept: where that is much, others have few.
TEST(JitHandles, PlacesAreInTheLimit) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  HandlesOfOneKernel k;
  ASSERT_TRUE(k.ok()) << k.why;
  k.add_samplers(1000, 5000);
  std::vector<std::unique_ptr<jit::HandleMessages>> all;
  const auto bytes_of_one = [&] { return k.places_of_one_more(all, false); };
  const std::size_t usual = bytes_of_one();
  EXPECT_GE(usual, std::size_t{4096} * 64);
  std::size_t sum = usual;
  for (std::size_t one = usual; one >= usual / 50; sum += one) {
    ASSERT_LT(sum, jit::HandleMessages::kMaxPlaces + usual);
    one = bytes_of_one();
  }
  all.clear();
  EXPECT_EQ(bytes_of_one(), usual);
}

// Where others keep as much as all may, those that take turns are made once all the same; who keeps much forgets it.
TEST(JitHandles, EachKeepsWhatTakesTurns) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  HandlesOfOneKernel k;
  ASSERT_TRUE(k.ok()) << k.why;
  constexpr std::uint32_t kMany = 4000, kFew = 200;
  k.add_samplers(1000, kMany);
  const auto use = [&](jit::HandleMessages& of, std::uint32_t count) {
    const std::uint64_t before = of.forgotten();
    for (std::uint32_t n = 0; n < count; ++n) EXPECT_NE(of.find(0, {7, 1000 + n}, k.bindings()), nullptr);
    return of.forgotten() - before;
  };
  std::vector<std::unique_ptr<jit::HandleMessages>> others;
  for (std::size_t sum = 0; sum <= jit::HandleMessages::kMaxMade; sum += others.back()->made_bytes()) {
    ASSERT_LT(others.size(), 2000u);
    others.push_back(k.messages());
    EXPECT_EQ(use(*others.back(), kFew), 0u);
    ASSERT_LT(others.back()->made_bytes(), jit::HandleMessages::kOwnMade);
  }
  const auto own = k.messages();
  for (int round = 0; round < 10; ++round) EXPECT_EQ(use(*own, kFew), 0u) << round;
  EXPECT_GT(use(*own, kMany), 0u);
  EXPECT_LE(own->made_bytes(), jit::HandleMessages::kOwnMade);
}

// What others keep between their runs makes room for who runs, that which ran longest ago first; they make it anew.
TEST(JitHandles, IdleOnesMakeRoom) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  HandlesOfOneKernel k;
  ASSERT_TRUE(k.ok()) << k.why;
  constexpr std::uint32_t kMany = 4000, kTurns = 600;
  k.add_samplers(1000, kMany);
  const auto use = [&](jit::HandleMessages& of, std::uint32_t count) {
    for (std::uint32_t n = 0; n < count; ++n) EXPECT_NE(of.find(0, {7, 1000 + n}, k.bindings()), nullptr);
  };
  std::vector<std::unique_ptr<jit::HandleMessages>> others;
  for (std::size_t sum = 0; sum < jit::HandleMessages::kMaxMade - jit::HandleMessages::kOwnMade / 2;
       sum += others.back()->made_bytes()) {
    ASSERT_LT(others.size(), 200u);
    others.push_back(k.messages());
    for (std::uint32_t n = 0; n < kMany && sum + others.back()->made_bytes() + 8192 < jit::HandleMessages::kMaxMade;
         ++n)
      EXPECT_NE(others.back()->find(0, {7, 1000 + n}, k.bindings()), nullptr);
  }
  ASSERT_GT(others.size(), 2u);
  jit::HandleMessages &oldest = *others[1], &newest = *others[0];
  oldest.end_run();
  for (std::size_t n = 2; n < others.size(); ++n) others[n]->end_run();
  newest.end_run();
  const std::size_t kept = newest.made_bytes();
  const auto own = k.messages();
  const std::uint64_t before = own->forgotten();
  for (int round = 0; round < 5; ++round) use(*own, kTurns);
  EXPECT_EQ(own->forgotten(), before);
  EXPECT_GT(own->made_bytes(), jit::HandleMessages::kOwnMade);
  EXPECT_EQ(oldest.made_bytes(), 0u);
  EXPECT_EQ(newest.made_bytes(), kept);
  // Who runs again keeps what is left of its own.
  newest.begin_run(k.prepared());
  oldest.begin_run(k.prepared());
  use(oldest, kMany);
  EXPECT_GT(oldest.made_bytes(), jit::HandleMessages::kOwnMade);
  EXPECT_EQ(newest.made_bytes(), kept);
}

// So do their places.
TEST(JitHandles, IdleOnesMakeRoomForPlaces) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  HandlesOfOneKernel k;
  ASSERT_TRUE(k.ok()) << k.why;
  k.add_samplers(1000, 5000);
  std::vector<std::unique_ptr<jit::HandleMessages>> all;
  const auto bytes_of_one = [&] { return k.places_of_one_more(all, true); };
  const std::size_t usual = bytes_of_one();
  for (std::size_t n = 0; n < 2 * jit::HandleMessages::kMaxPlaces / usual; ++n) ASSERT_EQ(bytes_of_one(), usual) << n;
  EXPECT_EQ(all.front()->place_bytes(), 0u);
}

// Runs on several threads at once: each takes room from those that are between two runs.
TEST(JitHandles, RoomIsMadeWhileOthersBegin) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  HandlesOfOneKernel k;
  ASSERT_TRUE(k.ok()) << k.why;
  constexpr std::uint32_t kMany = 2200, kRuns = 3;
  k.add_samplers(1000, kMany);
  std::vector<std::thread> threads;
  std::atomic<unsigned> missing{0};
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const auto first = k.messages(), second = k.messages();
      for (std::uint32_t run = 0; run < kRuns; ++run)
        for (jit::HandleMessages* const of : {first.get(), second.get()}) {
          of->begin_run(k.prepared());
          for (std::uint32_t n = 0; n < kMany; ++n)
            if (of->find(0, {7, 1000 + n}, k.bindings()) == nullptr) ++missing;
          of->end_run();
        }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missing, 0u);
}

// A target that a handle names is left to the reference function, which knows what the pixels go through.
TEST(JitHandles, TargetsAreLeftToTheReference) {
  const auto program = parse_kernel(
      ".decl C v_type=G type=f num_elts=16 align=GRF\n.decl E v_type=G type=ud num_elts=1 align=GRF\n"
      "movs (M1_NM, 1) %bss(0) E(0,0)<0;1,0>\nrt_write_3d.<LRTW> (M1, 16) %bss %null.0 C.0 C.0 C.0 C.0\nret (M1, 1)\n",
      isa::Platform::SKL);
  ASSERT_NE(program, nullptr);
  const base::Limits limits;
  auto kernel = reference::ResolvedKernel::prepare(*program, program->objects.front(), isa::Platform::SKL, limits);
  ASSERT_TRUE(kernel.ok());
  const machine::PixelState pixels;
  jit::KernelOptions options;
  options.simd = 16;
  options.pixels = &pixels;
  options.disk_cache = false;
  std::string why;
  const auto prepared = jit::PreparedKernel::create(*kernel, {}, options, why);
  if (prepared == nullptr) GTEST_SKIP() << why;
  EXPECT_TRUE(prepared->sites().empty());
}

// What has no handle is refused alike, and so is a surface of a kind that the message has no meaning for.
TEST(JitHandles, WhatIsNotThereIsRefusedByBoth) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    std::mt19937 random(5);
    BothEngines both(each_handle(one.message));
    bind_handles(both, false, "R32_UINT", random);
    both.bindings.bindless_surfaces.erase(1);
    both.bindings.surfaces[1] = nullptr;
    both.bindings.bindless_samplers.erase(1);
    EXPECT_TRUE(both.agree(16, 0xffff));
    both.bindings.bindless_surfaces[1] = both.bindings.surfaces[0];  // a buffer
    EXPECT_TRUE(both.agree(16, 0xffff));
  }
}

// A message is made once for what is bound, found again in the next run, and made anew for another object.
TEST(JitHandles, MessagesAreMadeOnce) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const auto program = parse_kernel(each_handle(kCases[3].message), isa::Platform::SKL);
  ASSERT_NE(program, nullptr);
  const base::Limits limits;
  auto kernel = reference::ResolvedKernel::prepare(*program, program->objects.front(), isa::Platform::SKL, limits);
  ASSERT_TRUE(kernel.ok());
  std::mt19937 random(5);
  machine::Bindings bindings;
  bind(bindings, buffer_of(64), texture_of("R8_UNORM", 4, 4, random), std::make_shared<image::Sampler>());
  jit::KernelOptions options;
  options.simd = 16;
  options.disk_cache = false;
  std::string why;
  const auto prepared = jit::PreparedKernel::create(*kernel, bindings, options, why);
  ASSERT_NE(prepared, nullptr) << why;
  ASSERT_EQ(prepared->sites().size(), 2u);
  EXPECT_TRUE(prepared->sites()[0].slots.by_handle);
  bindings.bindless_samplers[7] = std::make_shared<image::Sampler>();
  bindings.bindless_surfaces[7] = texture_of("R8G8B8A8_UNORM", 4, 4, random);
  jit::HandleMessages messages;
  messages.begin_run(prepared);
  const auto state_of = [](const machine::jit::MessageCall* call) {
    return call != nullptr ? call->dynamic_state : nullptr;
  };
  const void* const first = state_of(messages.find(0, {7, 7}, bindings));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(messages.find(0, {8, 7}, bindings), nullptr) << "no surface has the handle";
  EXPECT_EQ(messages.find(0, {7, std::nullopt}, bindings), nullptr);
  messages.begin_run(prepared);
  EXPECT_EQ(state_of(messages.find(0, {7, 7}, bindings)), first);
  bindings.bindless_surfaces[7] = texture_of("R8G8B8A8_UNORM", 8, 8, random);
  messages.begin_run(prepared);
  const void* const other = state_of(messages.find(0, {7, 7}, bindings));
  ASSERT_NE(other, nullptr);
  EXPECT_NE(other, first);
}

// The second tier has code for the states that each site's handles had in the first; others are called as before, until
// they are the usual ones. All leave the reference engine's results.
TEST(JitHandles, TheSecondTierKnowsTheLikelyState) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const auto program = parse_kernel(each_handle(kCases[3].message), isa::Platform::SKL);
  ASSERT_NE(program, nullptr);
  const base::Limits limits;
  auto kernel = reference::ResolvedKernel::prepare(*program, program->objects.front(), isa::Platform::SKL, limits);
  ASSERT_TRUE(kernel.ok());
  std::mt19937 random(11);
  BothEngines both(each_handle(kCases[3].message));  // for its payload
  bind_handles(both, false, "R8G8B8A8_UNORM", random);
  machine::Bindings& bindings = both.bindings;
  jit::KernelOptions options;
  options.simd = 16;
  options.disk_cache = false;
  options.keep_registers = true;
  std::string why;
  const auto fast = jit::CompiledKernel::prepare(*kernel, bindings, options, why);
  ASSERT_NE(fast, nullptr) << why;
  const auto results = [&] {
    machine::ThreadStart start;
    start.payload = both.payload;
    start.dispatch_mask = 0xffff;
    std::vector<std::uint8_t> scratch(4096);
    start.scratch = scratch;
    machine::Group group(1, 1024);
    start.group = &group;
    machine::Reports reports(*program, machine::CheckMode::Off);
    machine::Thread thread(kernel->code(), bindings, reports);
    thread.start(start);
    reference::Budget budget(limits), fast_budget(limits);
    EXPECT_EQ(reference::run(thread, budget), reference::Outcome::Finished);
    machine::Group again(1, 1024);
    start.group = &again;
    jit::Runner runner(*fast, bindings, reports, fast_budget);
    EXPECT_EQ(runner.run_group(std::span(&start, 1), again), reference::Outcome::Finished);
    EXPECT_EQ(runner.reference_calls(), 0u);
    constexpr std::uint32_t kResult = isa::kFirstVariable + 4;  // A
    const machine::VariablePlacement& at = *kernel->code().objects.front().layout.place(kResult);
    const auto of = [&](machine::Registers& r) {
      return std::vector<std::uint8_t>(r.bytes() + at.root_begin, r.bytes() + at.root_end);
    };
    EXPECT_EQ(of(runner.thread().registers()), of(thread.registers()));
  };
  const auto run_often = [&] {
    machine::ThreadStart start;
    start.payload = both.payload;
    start.dispatch_mask = 0xffff;
    machine::Group group(1, 1024);
    start.group = &group;
    machine::Reports reports(*program, machine::CheckMode::Off);
    reference::Budget budget(limits);
    jit::Runner runner(*fast, bindings, reports, budget);
    for (unsigned k = 0; k < 600'000; ++k)
      ASSERT_EQ(runner.run_group(std::span(&start, 1), group), reference::Outcome::Finished);
  };
  reference::Budget budget(limits);
  results();
  ASSERT_TRUE(fast->finish_second_tier());
  const jit::Function first_guess = fast->function(0xffff, budget);
  results();
  EXPECT_EQ(fast->unknown_calls(), 0u) << "each site has its own state";
  EXPECT_NE(fast->list().assembly.find("_likely"), std::string::npos);
  // Another format, then another filter.
  const auto image = texture_of("R16G16B16A16_FLOAT", 6, 5, random);
  for (auto& byte : *image->memory) byte = static_cast<std::uint8_t>(random() % 60);
  bindings.surfaces.push_back(image);
  bindings.bindless_surfaces[0] = bindings.surfaces.back();
  results();
  bindings.bindless_samplers[0] = bindings.bindless_samplers[1];
  bindings.bindless_surfaces[1] = bindings.bindless_surfaces[0];
  results();
  const std::uint64_t few = fast->unknown_calls();
  EXPECT_GT(few, 0u);
  EXPECT_EQ(fast->function(0xffff, budget), first_guess);
  run_often();
  ASSERT_TRUE(fast->finish_second_tier());
  const jit::Function second_guess = fast->function(0xffff, budget);
  EXPECT_NE(second_guess, first_guess);
  const std::uint64_t many = fast->unknown_calls();
  EXPECT_GT(many, few);
  run_often();
  results();
  EXPECT_EQ(fast->unknown_calls(), many);
  EXPECT_EQ(fast->function(0xffff, budget), second_guess);
}

}  // namespace
}  // namespace heddle::engine::testing
