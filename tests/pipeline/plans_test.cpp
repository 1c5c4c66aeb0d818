// SPDX-License-Identifier: MIT
// Programs that are made ready once and run many times: what changes from run to run, on both engines, from several
// threads; what is bound is known by its identity, whatever comes and goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "pipeline/compute/compute.hpp"
#include "pipeline/pixels/pixels.hpp"
#include "support/programs.hpp"

namespace heddle::pipeline {
namespace {

using test::buffer_of;
using test::kArgument;
using test::kOneColor;
using test::program_of;
using test::set_push;

/// Lane i of group g: out[g * 16 + i] = push + red of the texel at ((i + 0.5) / 16, 0.5).
constexpr const char* kCompute = R"(.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl push v_type=G type=f num_elts=8 align=GRF
.decl groups v_type=G type=ud num_elts=3 align=GRF
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl first v_type=G type=ud num_elts=16 align=GRF
.decl u v_type=G type=f num_elts=16 align=GRF
.decl v v_type=G type=f num_elts=16 align=GRF
.decl d v_type=G type=f num_elts=64 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input X offset=32 size=32
.input push offset=128 size=32
.input groups offset=160 size=12
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) at(0,0)<1> X(0,0)<1;1,0>
    mov (M1, 16) u(0,0)<1> at(0,0)<1;1,0>
    add (M1, 16) u(0,0)<1> u(0,0)<1;1,0> 0.5:f
    mul (M1, 16) u(0,0)<1> u(0,0)<1;1,0> 0.0625:f
    mov (M1, 16) v(0,0)<1> 0.5:f
    sample_lz.RGBA (M1, 16) 0x0:uw S0 T6 d.0 u.0 v.0
    add (M1, 16) d(0,0)<1> d(0,0)<1;1,0> push(0,0)<0;1,0>
    mov (M1, 16) v(0,0)<1> groups(0,0)<0;1,0>
    mad (M1, 16) d(0,0)<1> v(0,0)<1;1,0> 100.0:f d(0,0)<1;1,0>
    shl (M1, 16) first(0,0)<1> %r0(0,1)<0;1,0> 4:ud
    add (M1, 16) at(0,0)<1> at(0,0)<1;1,0> first(0,0)<1;1,0>
    shl (M1, 16) at(0,0)<1> at(0,0)<1;1,0> 2:ud
    scatter4_scaled.R (M1, 16) T7 0x0:ud at.0 d.0
    ret (M1, 1)
)";

/// Every lane counts in the first number of T7.
constexpr const char* kCount = R"(.version 4.1
.kernel "c"
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) at(0,0)<1> 0:ud
    dword_atomic.inc (M1, 8) T7 at.0 %null.0 %null.0 %null.0
    dword_atomic.inc (M3, 8) T7 at.0 %null.0 %null.0 %null.0
    ret (M1, 1)
)";

/// A hundred thousand rounds.
constexpr const char* kLong = R"(.version 4.1
.kernel "l"
.decl n v_type=G type=ud num_elts=1
.decl P1 v_type=P num_elts=1
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1_NM, 1) n(0,0)<1> 0:ud
again:
    add (M1_NM, 1) n(0,0)<1> n(0,0)<0;1,0> 1:ud
    cmp.lt (M1_NM, 1) P1 n(0,0)<0;1,0> 100000:ud
    (P1) jmp (M1, 1) again
    ret (M1, 1)
)";

/// A texture whose texels have the red value `red` of 255.
std::shared_ptr<image::Surface> texture_of(std::uint8_t red, std::string_view format = "R8G8B8A8_UNORM",
                                           std::uint32_t size = 16) {
  auto surface = test::image_of(format, size);
  std::ranges::fill(*surface->memory, red);
  return surface;
}

struct Submission {
  base::Limits limits;
  bool reference = false;
  machine::Observer* observer = nullptr;
  unsigned workers = 1;
  bool may_skip = false;
  std::optional<base::Diagnostic> hit;
  Counters counters;

  template <typename Plan, typename What>
  bool operator()(const Plan& plan, const What& what, const Bound& bound) {
    machine::Reports reports(plan.program().source(), machine::CheckMode::Off);
    engine::reference::Budget budget(limits);
    RunContext context{.reports = reports, .budget = budget};
    context.reference = reference;
    context.observer = observer;
    context.workers = workers;
    context.may_skip = may_skip;
    context.memory_bytes = limits.memory_bytes;
    const bool good = plan.run(what, bound, context, counters);
    hit = budget.hit();
    return good;
  }
};

class Plans : public ::testing::Test {
 protected:
  Plans() {
    bound.bindings.surfaces = {texture_of(0), buffer_of(4096)};
    bound.bindings.samplers = {std::make_shared<image::Sampler>()};
    bound.bindings.surface_variables = {{6, {0}}, {7, {1}}};
    bound.bindings.sampler_variables = {{0, {0}}};
    bound.payload.resize(kArgument + 64);
    ComputePlan plan;
    plan.arguments = kArgument;
    plan.local_ids = {{32, 96}};
    plan.grid_inputs = {{ComputePlan::GridValue::GroupCount, kArgument + 32}};
    CodeOptions options;
    options.disk_cache = false;
    options.memory = &codes;
    compute = ComputeProgram::create(program_of(kCompute), plan, bound, options);
  }
  static Grid grid_of(std::uint32_t groups) {
    Grid grid;
    grid.local = {16, 1, 1};
    grid.groups = {groups, 1, 1};
    grid.global = {16 * groups, 1, 1};
    return grid;
  }
  static float out(const Bound& bound, std::size_t at) {
    float value = 0;
    std::memcpy(&value, bound.bindings.surfaces[1]->memory->data() + 4 * at, 4);
    return value;
  }
  /// Runs both engines with what is bound now; every element is `red` of 255 and the push constant.
  void expect(float push, std::uint8_t red, std::uint32_t groups = 2) {
    for (const bool reference : {false, true}) {
      std::ranges::fill(*bound.bindings.surfaces[1]->memory, std::uint8_t{0xee});
      set_push(bound.payload, push);
      Submission run{.reference = reference};
      ASSERT_TRUE(run(*compute, grid_of(groups), bound));
      EXPECT_EQ(run.counters.groups, groups);
      for (std::uint32_t at = 0; at < 16 * groups; ++at)
        ASSERT_FLOAT_EQ(out(bound, at), static_cast<float>(red) / 255 + push + 100.0f * static_cast<float>(groups))
            << at << (reference ? " reference" : " fast");
    }
  }

  engine::jit::MemoryCache codes;
  Bound bound;
  std::shared_ptr<const ComputeProgram> compute;
};

TEST_F(Plans, PushConstantsAndSizesOfGridsChangeFromRunToRun) {
  for (unsigned round = 0; round < 5; ++round) expect(0.25f * static_cast<float>(round), 0, 1 + round % 3);
}

TEST_F(Plans, TexturesChangeWithAndWithoutTheirStaticState) {
  const machine::SurfaceResource reds[] = {texture_of(51), texture_of(102, "R8G8B8A8_UNORM", 8),
                                           texture_of(153, "R8_UNORM"), texture_of(204, "A8_UNORM")};
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned k = 0; k < 3; ++k) {
      bound.bindings.surfaces[0] = reds[k];
      expect(1, static_cast<std::uint8_t>(51 * (k + 1)));
    }
    bound.bindings.surfaces[0] = reds[3];  // has no red
    expect(2, 0);
  }
}

TEST_F(Plans, SamplersChange) {
  bound.bindings.surfaces[0] = texture_of(255);
  auto border = std::make_shared<image::Sampler>();
  border->tcx = border->tcy = image::AddressMode::ClampBorder;
  border->min_filter = border->mag_filter = image::Filter::Linear;
  const machine::SamplerResource linear = border, nearest = bound.bindings.samplers[0];
  bound.bindings.samplers[0] = linear;
  expect(0, 255);
  bound.bindings.samplers[0] = nearest;
  expect(0, 255);
}

// More static states than a plan keeps code for.
TEST_F(Plans, ManyStaticStates) {
  bound.bindings.surfaces[0] = texture_of(51);
  constexpr image::AddressMode kModes[] = {image::AddressMode::Wrap, image::AddressMode::Mirror,
                                           image::AddressMode::Clamp, image::AddressMode::MirrorOnce};
  const machine::SamplerResource first = bound.bindings.samplers[0];
  for (unsigned k = 0; k < 160; ++k) {
    auto sampler = std::make_shared<image::Sampler>();
    sampler->tcx = kModes[k % 4];
    sampler->tcy = kModes[k / 4 % 4];
    sampler->min_filter = k / 16 % 2 != 0 ? image::Filter::Linear : image::Filter::Nearest;
    sampler->mag_filter = k / 32 % 2 != 0 ? image::Filter::Linear : image::Filter::Nearest;
    constexpr const char* kFormats[] = {"R8G8B8A8_UNORM", "R8G8_UNORM", "R8_UNORM"};
    bound.bindings.surfaces[0] = texture_of(51, kFormats[k / 64]);
    bound.bindings.samplers[0] = std::move(sampler);
    expect(static_cast<float>(k), 51, 1);
  }
  bound.bindings.samplers[0] = first;
  expect(0, 51);
}

// What cannot be compiled is not tried again, and the reference engine runs it.
TEST_F(Plans, CodeThatCannotBeMade) {
  ComputePlan plan = compute->plan();
  CodeOptions options;
  options.compile.cpu = "no-such-processor";
  options.interpret = false;
  const auto program = ComputeProgram::create(program_of(kCompute), plan, bound, options);
  std::string why, again;
  EXPECT_EQ(program->prepare(bound, why), nullptr);
  EXPECT_EQ(program->prepare(bound, again), nullptr);
  EXPECT_FALSE(why.empty());
  EXPECT_EQ(again, why);
  set_push(bound.payload, 3);
  for (int round = 0; round < 2; ++round) ASSERT_TRUE(Submission{}(*program, grid_of(1), bound));
  EXPECT_FLOAT_EQ(out(bound, 5), 103);
  // That it cannot be compiled shows when that is worth it; then it stays interpreted.
  options.interpret = true;
  const auto interpreted = ComputeProgram::create(program_of(kCompute), plan, bound, options);
  set_push(bound.payload, 4);
  for (int round = 0; round < 2; ++round) ASSERT_TRUE(Submission{}(*interpreted, grid_of(4000), bound));
  EXPECT_FLOAT_EQ(out(bound, 5), 400004);
  // Kernels that cannot begin interpreted, because they store in a loop, are after all.
  std::string loops = kCompute;
  const auto put = [&](const std::string& before, const std::string& text) { loops.insert(loops.find(before), text); };
  put(".input X", ".decl n v_type=G type=ud num_elts=1\n.decl P1 v_type=P num_elts=1\n");
  put("    scatter4_scaled", "    mov (M1_NM, 1) n(0,0)<1> 0:ud\nagain:\n");
  loops.insert(loops.find('\n', loops.find("scatter4_scaled")) + 1,
               "    add (M1_NM, 1) n(0,0)<1> n(0,0)<0;1,0> 1:ud\n    cmp.lt (M1_NM, 1) P1 n(0,0)<0;1,0> 3:ud\n"
               "    (P1) jmp (M1, 1) again\n");
  const auto storing = ComputeProgram::create(program_of(loops.c_str()), plan, bound, options);
  set_push(bound.payload, 5);
  for (int round = 0; round < 2; ++round) ASSERT_TRUE(Submission{}(*storing, grid_of(2), bound));
  EXPECT_FLOAT_EQ(out(bound, 5), 205);
}

TEST_F(Plans, BuffersChangeTheirAddress) {
  for (unsigned round = 0; round < 4; ++round) {
    bound.bindings.surfaces[1] = buffer_of(4096 + 64 * round);
    expect(static_cast<float>(round), 0);
  }
}

// A destroyed texture is not kept alive, and one that takes its place in memory is not mistaken for it.
TEST_F(Plans, ResourcesMayBeDestroyed) {
  for (unsigned round = 0; round < 20; ++round) {
    auto texture = texture_of(static_cast<std::uint8_t>(10 * round), round % 2 == 0 ? "R8G8B8A8_UNORM" : "R8_UNORM");
    const std::weak_ptr<image::Surface> watch = texture;
    bound.bindings.surfaces[0] = std::move(texture);
    expect(0, static_cast<std::uint8_t>(10 * round));
    bound.bindings.surfaces[0] = nullptr;
    EXPECT_TRUE(watch.expired());
  }
}

TEST_F(Plans, WhatIsUnboundIsReported) {
  expect(0, 0);
  const machine::SurfaceResource texture = bound.bindings.surfaces[0];
  bound.bindings.surfaces[0] = nullptr;
  EXPECT_FALSE(Submission{}(*compute, grid_of(1), bound));
  bound.bindings.surfaces[0] = texture;
  expect(0, 0);
}

TEST_F(Plans, FirstGroupMayHaveAnyNumber) {
  Grid grid = grid_of(2);
  grid.base = {3, 0, 0};
  for (const bool reference : {false, true}) {
    std::ranges::fill(*bound.bindings.surfaces[1]->memory, std::uint8_t{0});
    set_push(bound.payload, 1);
    ASSERT_TRUE((Submission{.reference = reference}(*compute, grid, bound)));
    EXPECT_EQ(out(bound, 47), 0);
    EXPECT_EQ(out(bound, 48), 201);
    EXPECT_EQ(out(bound, 79), 201);
    EXPECT_EQ(out(bound, 80), 0);
  }
}

TEST_F(Plans, SmallerGroupsAtTheEnd) {
  for (const std::uint32_t items : {40u, 16u, 7u, 40u}) {
    Grid grid = grid_of((items + 15) / 16);
    grid.global[0] = items;
    std::ranges::fill(*bound.bindings.surfaces[1]->memory, std::uint8_t{0});
    ASSERT_TRUE(Submission{}(*compute, grid, bound));
    for (std::uint32_t at = 0; at < 64; ++at) EXPECT_EQ(out(bound, at) != 0, at < items) << at;
  }
}

// Each thread has bindings of its own and changes them; the plan is one.
TEST_F(Plans, ThreadsRunOnePlanTogether) {
  const machine::SurfaceResource reds[] = {texture_of(51), texture_of(102, "R8_UNORM"), texture_of(153)};
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong{0};
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Bound own = bound;
      own.bindings.surfaces[1] = buffer_of(4096);
      for (unsigned round = 0; round < 50; ++round) {
        const unsigned k = (round / (t + 1)) % 3;
        own.bindings.surfaces[0] = reds[k];
        set_push(own.payload, static_cast<float>(t));
        Submission run{.reference = round % 10 == 9, .workers = t == 3 ? 2u : 1u};
        if (!run(*compute, grid_of(1 + t), own)) ++wrong;
        const float wanted =
            static_cast<float>(51 * (k + 1)) / 255 + static_cast<float>(t) + 100.0f * static_cast<float>(1 + t);
        if (std::abs(out(own, 16 * t + 3) - wanted) > 1e-4f) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
}

// Runs of several threads meet in one buffer: atomic operations are atomic although each run has one worker.
TEST_F(Plans, RunsThatShareABuffer) {
  ComputePlan plan;
  plan.arguments = kArgument;
  const auto count = ComputeProgram::create(program_of(kCount), plan, bound, {.disk_cache = false, .memory = &codes});
  constexpr unsigned kRuns = 100, kGroups = 32, kThreads = 4;
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong{0};
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      const Bound own = bound;
      for (unsigned run = 0; run < kRuns; ++run)
        if (!Submission{}(*count, grid_of(kGroups), own)) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  std::uint32_t counted = 0;
  std::memcpy(&counted, bound.bindings.surfaces[1]->memory->data(), 4);
  EXPECT_EQ(counted, kRuns * kGroups * kThreads * 16);
}

TEST_F(Plans, ObserversSeeTheProgramOnTheReferenceEngine) {
  struct Count final : machine::Observer {
    void instruction(const machine::Thread&, const machine::Decoded&, std::uint32_t) override { ++instructions; }
    unsigned instructions = 0;
  } count;
  ASSERT_TRUE(Submission{}(*compute, grid_of(1), bound));
  EXPECT_EQ(count.instructions, 0u);
  Submission run{.observer = &count};
  ASSERT_TRUE(run(*compute, grid_of(1), bound));
  EXPECT_EQ(count.instructions, 14u);
  EXPECT_EQ(run.counters.texels_read, 16u);
}

TEST_F(Plans, LimitsHoldForEachSubmission) {
  Submission few{.limits = {.steps = 20}};
  EXPECT_FALSE(few(*compute, grid_of(64), bound));
  ASSERT_TRUE(few.hit);
  EXPECT_EQ(few.hit->id, "limit-steps");
  expect(0, 0);
}

TEST_F(Plans, CanceledBudgetsEndRuns) {
  machine::Reports reports(compute->program().source(), machine::CheckMode::Off);
  engine::reference::Budget budget(base::Limits{});
  budget.cancel();
  budget.give_back(100);  // somebody else's
  RunContext context{.reports = reports, .budget = budget};
  context.memory_bytes = base::Limits{}.memory_bytes;
  Counters counters;
  EXPECT_FALSE(compute->run(grid_of(1), bound, context, counters));
  ASSERT_TRUE(budget.hit());
  EXPECT_EQ(budget.hit()->id, "limit-canceled");
}

// Workers share what takes long, however few threads it has, in the first run as in those behind it, which know how
// long it takes; what is short one of them does.
TEST_F(Plans, FewLongThreadsAreShared) {
  if (!engine::jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const auto first_part = [&](const ComputeProgram& program, const Grid& grid) {
    machine::Reports reports(program.program().source(), machine::CheckMode::Off);
    engine::reference::Budget budget(base::Limits{});
    double least = 2;
    RunContext context{.reports = reports, .budget = budget};
    context.workers = 2;
    context.memory_bytes = base::Limits{}.memory_bytes;
    context.progress = [&](double part) { least = std::min(least, part); };
    Counters counters;
    EXPECT_TRUE(program.run(grid, bound, context, counters));
    EXPECT_EQ(counters.groups, grid.group_count());
    EXPECT_EQ(counters.threads, grid.group_count());
    return least;
  };
  Grid flat = grid_of(4);  // the first group ends within a row
  flat.groups[1] = 3;
  flat.global[1] = 3;
  const Grid grids[] = {grid_of(64), grid_of(17), flat};
  ComputePlan plan;
  plan.arguments = kArgument;
  for (const bool interpret : {true, false}) {
    CodeOptions options;
    options.disk_cache = false;
    options.interpret = interpret;
    for (const Grid& grid : grids) {
      const auto longer = ComputeProgram::create(program_of(kLong), plan, bound, options);
      for (int run = 0; run < 3; ++run)
        EXPECT_LT(first_part(*longer, grid), 0.5) << grid.group_count() << " groups, run " << run;
    }
  }
  for (const std::uint32_t groups : {64u, 17u})
    for (int run = 0; run < 2; ++run) EXPECT_EQ(first_part(*compute, grid_of(groups)), 1.0) << groups;
}

TEST(PixelPlans, StateTargetsAndSizesChangeFromDrawToDraw) {
  Bound bound;
  bound.bindings.surfaces = {texture_of(0)};
  bound.bindings.surface_variables = {{6, {0}}};
  bound.payload.resize(kArgument + 32);
  engine::jit::MemoryCache codes;
  const auto pixels = PixelProgram::create(program_of(kOneColor), {}, bound, {.disk_cache = false, .memory = &codes});
  const auto draw_of = [](std::uint32_t width, std::uint32_t height, std::shared_ptr<machine::PixelState> state) {
    Draw draw;
    draw.mesh = full_screen_triangle();
    draw.raster.width = width;
    draw.raster.height = height;
    draw.raster.viewports[0] = {0, 0, static_cast<double>(width), static_cast<double>(height), 0, 1};
    draw.state = std::move(state);
    return draw;
  };
  auto blend = std::make_shared<machine::PixelState>();
  image::BlendEntry& entry = blend->output.blend[0];
  entry.enable = true;
  entry.dst_color = entry.dst_alpha = image::BlendFactor::One;
  const Draw whole = draw_of(16, 16, std::make_shared<machine::PixelState>()), adds = draw_of(16, 16, blend);
  const auto red = [&] { return int{(*bound.bindings.surfaces[0]->memory)[0]}; };
  const auto push = [&](float value) { set_push(bound.payload, value); };
  for (const bool reference : {false, true})
    for (unsigned round = 0; round < 3; ++round) {
      push(0.2f);
      ASSERT_TRUE((Submission{.reference = reference}(*pixels, whole, bound)));
      EXPECT_EQ(red(), 51);
      ASSERT_TRUE((Submission{.reference = reference}(*pixels, adds, bound)));
      EXPECT_EQ(red(), 102);
      push(0.4f);
      bound.bindings.surfaces[0] = texture_of(0, "R8G8B8A8_UNORM", 7 + round);
      ASSERT_TRUE(
          (Submission{.reference = reference}(*pixels, draw_of(7 + round, 7 + round, whole.state.object()), bound)));
      EXPECT_TRUE(std::ranges::all_of(*bound.bindings.surfaces[0]->memory, [](auto byte) { return byte == 102; }));
      bound.bindings.surfaces[0] = texture_of(0);
    }
}

// Whole threads of a triangle of any mesh run side by side in one call, and leave the reference engine's bits.
TEST(PixelPlans, RowsOfMeshTriangles) {
  const char* source = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=f num_elts=16 align=GRF
.decl x v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.input a offset=64 size=64
.input x offset=128 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mul (M1, 16) x(0,0)<1> x(0,0)<1;1,0> 0.005:f
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 x.0 a.0 x.0
    ret (M1, 1)
)";
  Bound bound;
  bound.bindings.surface_variables = {{6, {0}}};
  bound.bindings.surfaces = {texture_of(0, "R8G8B8A8_UNORM", 200)};
  bound.payload.resize(192);
  PixelPlan plan;
  plan.inputs.resize(2);
  plan.inputs[0].components = {0};
  plan.inputs[0].offset = 64;
  plan.inputs[1].source = LaneInput::Source::PositionX;
  plan.inputs[1].offset = 128;
  engine::jit::MemoryCache codes;
  const auto pixels = PixelProgram::create(program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
  Draw draw;
  draw.mesh.positions = {{-1.9, -1.8, 0, 2}, {0.9, -0.7, 0.5, 1}, {-0.2, 2.4, 1, 3}, {-1, 1, 0.5, 1}};
  draw.mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  draw.mesh.attributes = {{.values = {0.1, 0.9, 0.3, 0.7}}};
  draw.raster.width = draw.raster.height = 200;
  draw.raster.viewports[0] = {0, 0, 200, 200, 0, 1};
  draw.state = std::make_shared<machine::PixelState>();
  ASSERT_TRUE((Submission{.reference = true}(*pixels, draw, bound)));
  const std::vector<std::uint8_t> wanted = bound.bindings.surfaces[0]->memory->copy();
  EXPECT_GT(std::ranges::count_if(wanted, [](std::uint8_t byte) { return byte != 0; }), 40000);
  for (const unsigned workers : {1u, 2u}) {
    std::ranges::fill(*bound.bindings.surfaces[0]->memory, std::uint8_t{0});
    ASSERT_TRUE((Submission{.workers = workers}(*pixels, draw, bound)));
    EXPECT_EQ(bound.bindings.surfaces[0]->memory->copy(), wanted) << workers;
  }
}

// Triangles over one another, small ones and large, blended: their order is seen. Bins give the same bits and threads
// as one worker; where nobody sees which threads there are, subspans share them, and large triangles are drawn in
// parts. Rules: FBO-5, PIX-10, PIX-11.
TEST(PixelPlans, TrianglesOverOneAnotherOnSeveralWorkers) {
  const char* source = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.input a offset=64 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 a.0 a.0 a.0
    ret (M1, 1)
)";
  constexpr std::uint32_t kSize = 200, kTriangles = 6000;
  Bound bound;
  bound.bindings.surface_variables = {{6, {0}}};
  bound.bindings.surfaces = {texture_of(0, "R8G8B8A8_UNORM", kSize)};
  bound.payload.resize(128);
  PixelPlan plan;
  plan.inputs.resize(1);
  plan.inputs[0].components = {0};
  plan.inputs[0].offset = 64;
  engine::jit::MemoryCache codes;
  const auto pixels = PixelProgram::create(program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
  plan.own_subspans = plan.keeps_fragments = true;
  const auto free = PixelProgram::create(program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
  plan.own_lanes = true;
  const auto own = PixelProgram::create(program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
  Draw draw;
  draw.mesh.attributes.resize(1);
  std::uint32_t random = 1;
  const auto next = [&] { return (random = random * 1664525 + 1013904223) >> 8 & 0xffff; };
  for (std::uint32_t t = 0; t < kTriangles; ++t) {
    const double x = next() / 32768.0 - 1, y = next() / 32768.0 - 1, size = t % 50 == 0 ? 1.5 : t % 2 == 0 ? 0.1 : 0.02;
    for (std::uint32_t k = 0; k < 3; ++k) {
      draw.mesh.positions.push_back({x + (next() / 65536.0 - 0.5) * size, y + (next() / 65536.0 - 0.5) * size, 0.5, 1});
      draw.mesh.attributes[0].values.push_back(next() / 65536.0);
    }
    draw.mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  draw.raster.width = draw.raster.height = kSize;
  draw.raster.viewports[0] = {0, 0, kSize, kSize, 0, 1};
  auto state = std::make_shared<machine::PixelState>();
  image::BlendEntry& entry = state->output.blend[0];
  entry.enable = true;
  entry.src_color = entry.src_alpha = image::BlendFactor::SrcAlpha;
  entry.dst_color = entry.dst_alpha = image::BlendFactor::InvSrcAlpha;
  draw.state = std::move(state);
  Submission reference{.reference = true};
  ASSERT_TRUE(reference(*pixels, draw, bound));
  const std::vector<std::uint8_t> wanted = bound.bindings.surfaces[0]->memory->copy();
  for (const unsigned workers : {1u, 2u, 4u}) {
    std::ranges::fill(*bound.bindings.surfaces[0]->memory, std::uint8_t{0});
    Submission run{.workers = workers};
    ASSERT_TRUE(run(*pixels, draw, bound));
    EXPECT_EQ(bound.bindings.surfaces[0]->memory->copy(), wanted) << workers;
    EXPECT_EQ(run.counters.threads, reference.counters.threads) << workers;
    EXPECT_EQ(run.counters.fragment_invocations, reference.counters.fragment_invocations) << workers;
    EXPECT_EQ(run.counters.groups, reference.counters.groups) << workers;
    EXPECT_EQ(run.counters.clipping_primitives, reference.counters.clipping_primitives) << workers;
    const auto threads_of = [&](const auto& kernel) {
      std::ranges::fill(*bound.bindings.surfaces[0]->memory, std::uint8_t{0});
      Submission skips{.workers = workers, .may_skip = true};
      EXPECT_TRUE(skips(kernel, draw, bound));
      EXPECT_EQ(bound.bindings.surfaces[0]->memory->copy(), wanted) << workers;
      EXPECT_EQ(skips.counters.fragment_invocations, reference.counters.fragment_invocations) << workers;
      return skips.counters.threads;
    };
    const auto skipped = threads_of(*free), merged = threads_of(*own);
    if (workers == 1 && engine::jit::has_compiler()) EXPECT_LT(skipped, reference.counters.threads);
    if (workers == 1 && engine::jit::has_compiler()) EXPECT_LE(merged, skipped);
  }
}

// Values that lie side by side in vertices are interpolated together where small triangles share threads, with the
// depth where there is room: the same bits as one by one, with any of them equal at all corners, infinite or NaN.
// Rules: PIX-11, PIX-15, PIX-20, PIX-21.
TEST(PixelPlans, ValuesSideBySideAreInterpolatedAsOneByOne) {
  const char* source = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=f num_elts=16 align=GRF
.decl b v_type=G type=f num_elts=16 align=GRF
.decl c v_type=G type=f num_elts=16 align=GRF
.decl d v_type=G type=f num_elts=16 align=GRF
.decl e v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.input a offset=64 size=64
.input b offset=128 size=64
.input c offset=192 size=64
.input d offset=256 size=64
.input e offset=320 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    add (M1, 16) d(0,0)<1> d(0,0)<1;1,0> e(0,0)<1;1,0>
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 b.0 c.0 d.0
    ret (M1, 1)
)";
  constexpr std::uint32_t kSize = 128, kTriangles = 2500, kMax = 5;
  engine::jit::MemoryCache codes;
  for (std::uint32_t count = 1; count <= kMax; ++count) {
    Bound bound;
    bound.bindings.surface_variables = {{6, {0}}};
    bound.bindings.surfaces = {texture_of(0, "R32G32B32A32_FLOAT", kSize)};
    bound.payload.resize(384);
    PixelPlan plan;
    plan.inputs.resize(count);
    for (std::uint32_t k = 0; k < count; ++k) {
      plan.inputs[k].components = {k};
      plan.inputs[k].offset = 64 + 64 * k;
      plan.inputs[k].interpolation.linear = k == 2 && count != 3;  // goes on with no run, and none with it
    }
    const auto alone = PixelProgram::create(program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
    plan.own_subspans = plan.keeps_fragments = true;
    const auto shared = PixelProgram::create(program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
    Draw draw;
    draw.mesh.attributes.resize(count);
    std::vector<float> records;
    std::mt19937 random(count);
    const auto unit = [&] { return static_cast<double>(random() % 65536) / 65536; };
    constexpr float kOdd[] = {-0.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(),
                              3e38f};
    for (std::uint32_t t = 0; t < kTriangles; ++t) {
      const double x = 2 * unit() - 1, y = 2 * unit() - 1, size = t % 2 == 0 ? 0.1 : 0.03;
      const bool flat = random() % 4 == 0, level = random() % 8 == 0;
      const std::uint32_t same = random() % 4 == 0 ? random() : 0,
                          odd = random() % 8 == 0 ? random() % (3 * count) : ~0u;
      std::array<float, kMax> first{};
      const double depth = unit();
      const bool cut = random() % 3 == 0;
      for (std::uint32_t k = 0; k < 3; ++k) {
        const double w = flat ? 1 : 0.5 + unit();
        const double z = level ? depth : cut ? 2 * unit() - 0.5 : unit();
        draw.mesh.positions.push_back({(x + (unit() - 0.5) * size) * w, (y + (unit() - 0.5) * size) * w, z * w, w});
        for (std::uint32_t c = 0; c < count; ++c) {
          auto value = static_cast<float>(unit() * 8 - 4);
          if (k * count + c == odd) value = kOdd[random() % std::size(kOdd)];
          if (k == 0) first[c] = value;
          if ((same >> c & 1u) != 0) value = first[c];
          records.push_back(value);
        }
      }
      draw.mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    draw.raster.width = draw.raster.height = kSize;
    draw.raster.viewports[0] = {0, 0, kSize, kSize, 0, 1};
    const auto state = std::make_shared<machine::PixelState>();
    const auto depths = texture_of(0, "R32_FLOAT", kSize);
    state->depth = depths;
    state->output.depth_test = state->output.depth_write = true;
    state->output.depth_func = image::CompareFunction::Greater;
    draw.state = state;
    using Bytes = std::vector<std::uint8_t>;
    const auto drawn = [&](const PixelProgram& program, Submission submission) {
      std::ranges::fill(*bound.bindings.surfaces[0]->memory, std::uint8_t{0});
      std::ranges::fill(*depths->memory, std::uint8_t{0});
      EXPECT_TRUE(submission(program, draw, bound));
      EXPECT_GT(submission.counters.fragment_invocations, 1000u);
      return std::pair<Bytes, Bytes>(bound.bindings.surfaces[0]->memory->copy(), depths->memory->copy());
    };
    // How vertices hold the values: as numbers, side by side, in pairs, each apart, by turns; or one is flat.
    enum class Held { Numbers, Beside, Pairs, Apart, Turns, Flat };
    const std::size_t vertices = records.size() / count, pitch = std::size_t{3} * count;
    for (unsigned time = 0; time < 24; ++time) {
      const auto held = static_cast<Held>(random() % 6);
      std::vector<float> spread(pitch * vertices);
      for (std::uint32_t c = 0; c < count; ++c) {
        MeshAttribute& a = draw.mesh.attributes[c];
        a = {.flat = held == Held::Flat && c == 1};
        if (held == Held::Numbers || (held == Held::Turns && c % 3 == 2)) {
          for (std::size_t at = c; at < records.size(); at += count) a.values.push_back(records[at]);
        } else if (held == Held::Pairs || held == Held::Apart) {
          const std::size_t place = held == Held::Pairs ? c + c / 2 : 2 * c;
          for (std::size_t v = 0; v < vertices; ++v) spread[v * pitch + place] = records[v * count + c];
          a.records = reinterpret_cast<const std::uint8_t*>(spread.data() + place);
          a.record_bytes = pitch * sizeof(float);
        } else {
          a.records = reinterpret_cast<const std::uint8_t*>(records.data() + c);
          a.record_bytes = count * sizeof(float);
        }
      }
      draw.raster.depth_clip = random() % 3 != 0;
      const auto wanted = drawn(*alone, {.reference = true});
      EXPECT_TRUE(drawn(*shared, {.workers = 1 + time % 2, .may_skip = true}) == wanted)
          << count << " held " << static_cast<int>(held) << " time " << time << " clipped " << draw.raster.depth_clip;
    }
  }
}

// Points of a pixel each, side by side, of a kernel that reads a buffer. Pixels of one subspan share a thread, and
// where lanes are their own, the subspan; those of one place never do. Rules: PIX-10, PIX-11.
TEST(PixelPlans, PointsBesideEachOtherShareThreads) {
  const char* source = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=ud num_elts=16 align=GRF
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl d v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input a offset=64 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    shl (M1, 16) at(0,0)<1> a(0,0)<1;1,0> 2:ud
    gather4_scaled.R (M1, 16) T7 0x0:ud at.0 d.0
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 d.0 d.0 d.0 d.0
    ret (M1, 1)
)";
  constexpr std::uint32_t kSize = 8, kPoints = kSize * kSize;
  Bound bound;
  bound.bindings.surface_variables = {{6, {0}}, {7, {1}}};
  bound.bindings.surfaces = {texture_of(0, "R32_FLOAT", kSize), buffer_of(8 * kPoints)};
  std::vector<float> numbers;
  for (std::uint32_t k = 0; k < 2 * kPoints; ++k) numbers.push_back(static_cast<float>(k) + 0.25f);
  std::memcpy(bound.bindings.surfaces[1]->memory->data(), numbers.data(), 8 * kPoints);
  bound.payload.resize(128);
  PixelPlan plan;
  plan.inputs.resize(1);
  plan.inputs[0].components = {0};
  plan.inputs[0].type = ComponentType::U32;
  plan.inputs[0].offset = 64;
  plan.own_subspans = plan.keeps_fragments = true;
  engine::jit::MemoryCache codes;
  const auto whole = PixelProgram::create(program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
  plan.own_lanes = true;
  const auto own = PixelProgram::create(program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
  Draw draw;
  draw.mesh.attributes.resize(1);
  draw.mesh.attributes[0].flat = true;
  draw.raster.width = draw.raster.height = kSize;
  draw.raster.viewports[0] = {0, 0, kSize, kSize, 0, 1};
  const auto add = [&](std::uint32_t x, std::uint32_t y, std::uint32_t number) {
    draw.mesh.points.push_back(static_cast<std::uint32_t>(draw.mesh.positions.size()));
    draw.mesh.positions.push_back({(x + 0.5) * 2 / kSize - 1, (y + 0.5) * 2 / kSize - 1, 0.5, 1});
    draw.mesh.attributes[0].values.push_back(number);
  };
  const auto threads = [&](const PixelProgram& program, Submission submission, std::vector<std::uint8_t>& bytes) {
    std::ranges::fill(*bound.bindings.surfaces[0]->memory, std::uint8_t{0});
    EXPECT_TRUE(submission(program, draw, bound));
    EXPECT_EQ(submission.counters.fragment_invocations, draw.mesh.points.size());
    bytes = bound.bindings.surfaces[0]->memory->copy();
    return submission.counters.threads;
  };
  const auto expect_threads = [&](std::uint64_t of_subspans, std::uint64_t of_lanes) {
    std::vector<std::uint8_t> wanted, bytes;
    EXPECT_EQ(threads(*own, {.reference = true}, wanted), draw.mesh.points.size());
    EXPECT_EQ(threads(*own, {}, bytes), of_lanes);
    EXPECT_EQ(bytes, wanted);
    EXPECT_EQ(threads(*whole, {}, bytes), of_subspans);
    EXPECT_EQ(bytes, wanted);
  };
  for (std::uint32_t k = 0; k < kPoints; ++k) add(k % kSize, k / kSize, k);
  expect_threads(kPoints / 4, kPoints / 16);
  for (std::uint32_t k = 0; k < kPoints; ++k) add(k % kSize, k / kSize, 2 * kPoints - 1 - k);  // over those
  expect_threads(2 * kPoints / 4, 2 * kPoints / 16);
  draw.mesh.points.resize(1);
  for (std::uint32_t k = 0; k < 4; ++k) draw.mesh.points.push_back(k % 2 * kPoints);  // all at one place
  expect_threads(5, 5);
}

}  // namespace
}  // namespace heddle::pipeline
