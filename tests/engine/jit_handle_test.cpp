// SPDX-License-Identifier: MIT
// Surfaces and samplers that handles name while the program runs: %bss and S31.

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

// A target that a handle names is left to the reference function, which knows what the pixels go through.
TEST(JitHandles, TargetsAreLeftToTheReference) {
  const auto program = parse_kernel(
      ".decl C v_type=G type=f num_elts=16 align=GRF\n.decl E v_type=G type=ud num_elts=1 align=GRF\n"
      "movs (M1_NM, 1) %bss(0) E(0,0)<0;1,0>\nrt_write_3d.<LRTW> (M1, 16) %bss %null.0 C.0 C.0 C.0 C.0\nret (M1, 1)\n",
      isa::Platform::SKL);
  ASSERT_NE(program, nullptr);
  const base::Limits limits;
  auto kernel = reference::Kernel::prepare(*program, program->objects.front(), isa::Platform::SKL, limits);
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
  auto kernel = reference::Kernel::prepare(*program, program->objects.front(), isa::Platform::SKL, limits);
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
  const machine::jit::MessageCall* const first = messages.find(0, {7, 7}, bindings);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(messages.find(0, {8, 7}, bindings), nullptr) << "no surface has the handle";
  EXPECT_EQ(messages.find(0, {7, std::nullopt}, bindings), nullptr);
  messages.begin_run(prepared);
  EXPECT_EQ(messages.find(0, {7, 7}, bindings), first);
  bindings.bindless_surfaces[7] = texture_of("R8G8B8A8_UNORM", 8, 8, random);
  messages.begin_run(prepared);
  const machine::jit::MessageCall* const other = messages.find(0, {7, 7}, bindings);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(other, first);
}

}  // namespace
}  // namespace heddle::engine::testing
