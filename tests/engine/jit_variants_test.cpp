// SPDX-License-Identifier: MIT
// What a program keeps of kernels for what was bound once: all families together stay within a limit.

#include <malloc.h>

#include "engine/bindings.hpp"
#include "engine/jit/runtime/kernel_variants.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

constexpr const char* kGather =
    ".decl u v_type=G type=f num_elts=16 align=GRF\n.decl a v_type=G type=ud num_elts=64 align=GRF\n"
    ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n.input u offset=32 "
    "size=64\n"
    "sample4.R (M1, 16) 0x0:uw S0 T7 a.0 u.0 u.0\nret (M1, 1)\n";

constexpr const char* kTypedRead =
    ".decl u v_type=G type=ud num_elts=16 align=GRF\n.decl a v_type=G type=ud num_elts=64 align=GRF\n"
    ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.input u offset=32 size=64\n"
    "gather4_typed.R (M1, 8) T7 u.0 u.0 %null.0 %null.0 a.0\nret (M1, 1)\n";

/// A kernel that gathers, or that reads, for images that come and go.
struct Family {
  explicit Family(const char* text = kGather) {
    program = parse_kernel(text, isa::Platform::SKL);
    if (program == nullptr) return;
    auto prepared = reference::ResolvedKernel::prepare(*program, program->objects.front(), isa::Platform::SKL, limits);
    if (!prepared) return;
    kernel = std::make_unique<reference::ResolvedKernel>(std::move(prepared).value());
    bind_image("R8G8B8A8_UNORM");
    jit::KernelOptions options;
    options.simd = 16;
    options.disk_cache = false;
    options.tiers = jit::Tiers::First;
    std::string why;
    family = jit::KernelVariants::create(*kernel, bindings, options, why);
  }
  [[nodiscard]] std::shared_ptr<const jit::BoundKernel> find(const jit::BoundKernel* last) const {
    std::string why;
    return family->find(bindings, {}, last, why);
  }
  void bind_image(const char* format) {
    std::mt19937 random(7);
    bind(bindings, buffer_of(64), texture_of(format, 4, 4, random), sampler);
  }
  /// Another state of the sampler.
  void change_sampler(void (*change)(image::Sampler&)) {
    sampler = std::make_shared<image::Sampler>(*sampler);
    change(*sampler);
    bind_image("R8G8B8A8_UNORM");
  }
  /// Another image of the same state.
  void change_image() { bindings.surfaces[1] = machine::SurfaceResource(bindings.surfaces[1].object()); }

  base::Limits limits;
  std::shared_ptr<image::Sampler> sampler = std::make_shared<image::Sampler>();
  std::unique_ptr<isa::Program> program;
  std::unique_ptr<reference::ResolvedKernel> kernel;
  machine::Bindings bindings;
  std::unique_ptr<jit::KernelVariants> family;
};

TEST(JitVariants, WhatIsKeptIsBoundedTogether) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::vector<Family> all(8);
  for (Family& one : all) ASSERT_TRUE(one.family != nullptr && one.find(nullptr) != nullptr);
  const std::size_t before = mallinfo2().uordblks, limit = jit::KernelVariants::kMaxKept;
  std::size_t most = 0;
  for (Family& one : all)
    for (int i = 0; i < 12000; ++i) {
      one.change_image();
      ASSERT_NE(one.find(nullptr), nullptr);
      if (i % 1000 == 0) most = std::max(most, mallinfo2().uordblks);
    }
  EXPECT_LT(most, before + limit + limit / 6);
  const auto again = all.front().find(nullptr);  // what was kept and forgotten
  EXPECT_EQ(all.front().find(nullptr), again);
}

// What is bound changes no code of the first tier: it is compiled once, whatever states and formats come.
TEST(JitVariants, ANewStateCompilesNothing) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  Family one;
  ASSERT_NE(one.family, nullptr);
  const auto first = one.find(nullptr);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->kernel->origin(), jit::CompiledKernel::Origin::Compiled);
  reference::Budget budget(one.limits);
  const auto is_shared = [&](const std::shared_ptr<const jit::BoundKernel>& found) {
    return found != nullptr && found->kernel != first->kernel && found->static_states != first->static_states &&
           found->kernel->origin() == jit::CompiledKernel::Origin::Memory &&
           found->kernel->function(0xffff, budget) == first->kernel->function(0xffff, budget) &&
           found->calls.at(0).static_state != first->calls.at(0).static_state;
  };
  using image::AddressMode;
  for (void (*const change)(image::Sampler&) : {+[](image::Sampler& s) { s.tcx = s.tcy = AddressMode::Mirror; },
                                                +[](image::Sampler& s) { s.tcx = s.tcy = AddressMode::ClampBorder; },
                                                +[](image::Sampler& s) { s.non_normalized = true; }}) {
    one.change_sampler(change);
    EXPECT_TRUE(is_shared(one.find(nullptr)));
  }
  for (const char* format : {"R32G32B32A32_FLOAT", "R8G8_SNORM", "R16_UNORM", "B5G6R5_UNORM"}) {
    one.bind_image(format);
    EXPECT_TRUE(is_shared(one.find(nullptr))) << format;
  }
}

// Instructions that ask the same of one image share what is made of its state, and none else does.
TEST(JitVariants, SitesThatAskTheSameAreOne) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const std::string declared = std::string(kGather).substr(0, std::string(kGather).find("sample4"));
  const Family one((declared + "sample4.R (M1, 16) 0x0:uw S0 T7 a.0 u.0 u.0\n"
                               "sample4.R (M1, 16) 0x0:uw S0 T7 a.0 u.0 u.0\n"
                               "sample4.G (M1, 16) 0x0:uw S0 T7 a.0 u.0 u.0\n"
                               "sample4.R (M1, 16) 0x1:uw S0 T7 a.0 u.0 u.0\n"
                               "sample4.R (M1, 8) 0x0:uw S0 T7 a.0 u.0 u.0\n"
                               "sample4.R (M1, 16) 0x0:uw S0 T7 a.0 u.0 u.0\nret (M1, 1)\n")
                       .c_str());
  ASSERT_NE(one.family, nullptr);
  const auto found = one.find(nullptr);
  ASSERT_NE(found, nullptr);
  const auto& messages = found->messages;
  ASSERT_EQ(messages.size(), 6u);
  ASSERT_NE(messages[0], nullptr);
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_EQ(messages[0], messages[5]);
  for (const std::size_t other : {2u, 3u, 4u}) EXPECT_NE(messages[0], messages[other]) << other;
  EXPECT_NE(messages[2], messages[3]);
}

// What is kept to be found again keeps no texels of images that are gone.
TEST(JitVariants, ATypedReadKeepsNoMemory) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  Family one(kTypedRead);
  ASSERT_NE(one.family, nullptr);
  one.bind_image("R32_UINT");
  const std::weak_ptr<image::Memory> memory = one.bindings.surfaces[1]->memory;
  const auto found = one.find(nullptr);
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->messages.size(), 1u);
  EXPECT_NE(found->messages[0], nullptr);
  one.bindings.surfaces.clear();
  EXPECT_TRUE(memory.expired());
}

}  // namespace
}  // namespace heddle::engine::testing
