// SPDX-License-Identifier: MIT
// Early tests against late ones, samples that pass, statistics, depth bounds; both engines.
// Rules: FBO-1 to FBO-4, OM-24, PIX-22.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "pipeline/pixels/pixels.hpp"
#include "support/programs.hpp"

namespace heddle::pipeline {
namespace {

/// Red 1 everywhere; with `DROP` nothing is written.
constexpr const char* kWrites = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) a(0,0)<1> 1.0:f
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 a.0 a.0 a.0
    ret (M1, 1)
)";
constexpr const char* kDrops = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) a(0,0)<1> 1.0:f
    ret (M1, 1)
)";

/// Two attributes and the primitive's number are red, green and blue.
constexpr const char* kShows = R"(.version 4.1
.kernel "p"
.decl u v_type=G type=f num_elts=16 align=GRF
.decl v v_type=G type=f num_elts=16 align=GRF
.decl number v_type=G type=ud num_elts=16 align=GRF
.decl n v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.input u offset=64 size=64
.input v offset=128 size=64
.input number offset=192 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) n(0,0)<1> number(0,0)<1;1,0>
    mul (M1, 16) n(0,0)<1> n(0,0)<1;1,0> 0.015625:f
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 u.0 v.0 n.0 u.0
    ret (M1, 1)
)";

constexpr std::uint32_t kSize = 48;

/// Surfaces of one draw after another, and what they hold.
struct Targets {
  std::shared_ptr<image::Surface> color, depth, stencil;
  Targets(std::string_view format, std::uint32_t samples, std::uint32_t size = kSize)
      : color(test::image_of("R8G8B8A8_UNORM", size, samples)),
        depth(test::image_of(format, size, samples)),
        stencil(test::image_of("R8_UINT", size, samples)) {}
  void clear(float z, std::uint8_t value) const {
    std::ranges::fill(*color->memory, std::uint8_t{0});
    std::ranges::fill(*stencil->memory, value);
    const std::size_t bytes = depth->format == image::Format::R16_UNORM ? 2 : 4;
    const std::uint32_t word = bytes == 2                                  ? std::uint32_t(z * 65535)
                               : depth->format == image::Format::R32_FLOAT ? base::bits_of(z)
                                                                           : std::uint32_t(z * 16777215);
    for (std::size_t at = 0; at + bytes <= depth->memory->size(); at += bytes)
      std::memcpy(depth->memory->data() + at, &word, bytes);
  }
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> bytes() const {
    return {color->memory->copy(), depth->memory->copy(), stencil->memory->copy()};
  }
};

class FramebufferOperations : public ::testing::Test {
 protected:
  std::shared_ptr<const PixelProgram> program_of(const char* source, const PixelPlan& plan) {
    bound.bindings.surface_variables = {{6, {0}}};
    bound.payload.resize(256);
    return PixelProgram::create(test::program_of(source), plan, bound, {.disk_cache = false, .memory = &codes});
  }
  static PixelPlan plan_of(std::uint32_t samples, bool early) {
    PixelPlan plan;
    plan.samples = samples;
    plan.positions = sample_positions(samples);
    plan.early_tests = early;
    return plan;
  }
  Counters run(const PixelProgram& program, const Targets& targets, const image::OutputState& output, const Mesh& mesh,
               bool reference, unsigned workers = 1) {
    auto state = std::make_shared<machine::PixelState>();
    state->output = output;
    state->depth = targets.depth;
    state->stencil = targets.stencil;
    state->samples = program.plan().samples;
    Draw draw;
    draw.mesh = mesh;
    draw.raster.width = draw.raster.height = targets.color->width;
    draw.raster.viewports[0] = {
        0, 0, static_cast<double>(targets.color->width), static_cast<double>(targets.color->height), 0, 1};
    draw.raster.samples = program.plan().positions;
    draw.state = std::move(state);
    bound.bindings.surfaces = {targets.color};
    machine::Reports reports(program.program().source(), machine::CheckMode::Off);
    engine::reference::Budget budget(base::Limits{});
    RunContext context{.reports = reports, .budget = budget};
    context.count_samples = true;
    context.reference = reference;
    context.workers = workers;
    context.memory_bytes = base::Limits{}.memory_bytes;
    Counters counters;
    EXPECT_TRUE(program.run(draw, bound, context, counters));
    return counters;
  }
  Bound bound;
  engine::jit::MemoryCache codes;
};

Mesh random_mesh(std::mt19937& random) {
  Mesh mesh;
  const auto number = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
  for (std::uint32_t k = 0; k < 12; ++k)
    mesh.positions.push_back({number() * 1.3, number() * 1.3, (number() + 1) / 2, 1});
  for (std::uint32_t k = 0; k < 12; k += 3) mesh.triangles.push_back({k, k + 1, k + 2});
  return mesh;
}

image::OutputState random_state(std::mt19937& random) {
  image::OutputState s;
  const auto compare = [&] { return static_cast<image::CompareFunction>(random() % 8); };
  const auto op = [&] { return static_cast<image::StencilOp>(random() % 8); };
  s.depth_test = random() % 4 != 0;
  s.depth_write = random() % 2 == 0;
  s.depth_func = compare();
  s.stencil_test = s.stencil_write = random() % 2 == 0;
  s.double_sided = random() % 2 == 0;
  for (image::StencilFace* face : {&s.front, &s.back})
    *face = {compare(),
             op(),
             op(),
             op(),
             static_cast<std::uint8_t>(random()),
             static_cast<std::uint8_t>(random()),
             static_cast<std::uint8_t>(random())};
  s.depth_bounds_test = random() % 4 == 0;
  s.depth_bounds = {0.25f, 0.75f};
  return s;
}

// A kernel that writes each of its pixels sees no difference between early and late tests, on either engine.
TEST_F(FramebufferOperations, EarlyTestsLeaveWhatLateOnesLeave_FBO1) {
  std::mt19937 random(21);
  constexpr std::string_view kFormats[] = {"R32_FLOAT", "R24_UNORM_X8_TYPELESS", "R16_UNORM"};
  for (const std::uint32_t samples : {1u, 4u}) {
    const auto late = program_of(kWrites, plan_of(samples, false)), early = program_of(kWrites, plan_of(samples, true));
    for (int round = 0; round < 16; ++round) {
      const Targets targets(kFormats[round % 3], samples);
      const image::OutputState state = random_state(random);
      const Mesh mesh = random_mesh(random);
      targets.clear(0.5f, 3);
      const Counters wanted = run(*late, targets, state, mesh, true);
      const auto bytes = targets.bytes();
      for (const bool reference : {false, true})
        for (const auto& program : {late, early}) {
          targets.clear(0.5f, 3);
          const Counters found = run(*program, targets, state, mesh, reference, 1 + round % 2);
          EXPECT_EQ(targets.bytes(), bytes) << round << ' ' << reference << ' ' << (program == early);
          EXPECT_EQ(found.samples_passed, wanted.samples_passed) << round;
          EXPECT_LE(found.fragment_invocations, wanted.fragment_invocations);
          if (program == late) {
            EXPECT_EQ(found.fragment_invocations, wanted.fragment_invocations);
            EXPECT_EQ(found.threads, wanted.threads);
          }
        }
    }
  }
}

TEST_F(FramebufferOperations, SubspansOfSeveralPrimitivesShareAThread_PIX11) {
  PixelPlan plan = plan_of(1, false);
  const auto alone = program_of(kWrites, plan);
  plan.own_subspans = true;
  const auto shared = program_of(kWrites, plan);
  const Targets targets("R32_FLOAT", 1);
  const auto corner = [](double pixel) { return pixel / (kSize / 2.0) - 1; };
  Mesh apart, together;  // triangles of one pixel: each on its own subspan, and all on the same one
  for (std::uint32_t k = 0; k < 64; ++k)
    for (Mesh* mesh : {&apart, &together}) {
      const double x = mesh == &apart ? k % 16 * 2 : 0, y = mesh == &apart ? k / 16 * 2 : 0, z = 0.9 - k * 0.01;
      const auto first = static_cast<std::uint32_t>(mesh->positions.size());
      mesh->positions.insert(
          mesh->positions.end(),
          {{corner(x), corner(y), z, 1}, {corner(x + 1.2), corner(y), z, 1}, {corner(x), corner(y + 1.2), z, 1}});
      mesh->triangles.push_back({first, first + 1, first + 2});
    }
  image::OutputState state;
  state.depth_test = state.depth_write = true;
  state.depth_func = image::CompareFunction::Less;
  for (const Mesh* mesh : {&apart, &together})
    for (const unsigned workers : {1u, 2u}) {
      targets.clear(1, 0);
      const Counters one = run(*alone, targets, state, *mesh, false, workers);
      const auto bytes = targets.bytes();
      targets.clear(1, 0);
      const Counters several = run(*shared, targets, state, *mesh, false, workers);
      EXPECT_EQ(targets.bytes(), bytes);
      EXPECT_EQ(one.threads, 64u);
      EXPECT_EQ(several.threads, mesh == &apart && engine::jit::has_compiler() ? 16u : 64u);
      EXPECT_EQ(several.fragment_invocations, one.fragment_invocations);
      EXPECT_EQ(several.samples_passed, 64u);
      EXPECT_EQ(run(*shared, targets, state, *mesh, true, workers).threads, 64u);  // the reference engine
    }
}

/// A rectangle of two triangles, or one, with other depths at its corners.
void add_triangles(Mesh& mesh, std::mt19937& random, double size) {
  const auto number = [&](double most) { return static_cast<double>(random() % 4096) / 4096 * most; };
  const double x = number(2.2) - 1.1, y = number(2.2) - 1.1;
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (const auto& [dx, dy] : {std::pair{0.0, 0.0}, {size, 0.0}, {0.0, size}, {size, size}})
    mesh.positions.push_back({x + dx, y + dy, number(1), 1});
  std::vector<double>& values = mesh.attributes.front().values;
  for (std::uint32_t k = 0; k < 4; ++k) values.insert(values.end(), {number(1), number(1)});
  mesh.triangles.push_back({first, first + 1, first + 2});
  if (random() % 2 == 0) mesh.triangles.push_back({first + 1, first + 3, first + 2});
}

// Rows of whole threads, threads of one primitive and of several alternate, on one worker and on several.
TEST_F(FramebufferOperations, LargeAndSmallPrimitivesKeepTheirValues_PIX11) {
  std::mt19937 random(31);
  PixelPlan plan = plan_of(1, false);
  for (const std::uint32_t component : {0u, 1u}) {
    LaneInput input;
    input.components = {component};
    input.offset = 64 + 64 * component;
    plan.inputs.push_back(input);
  }
  plan.inputs.emplace_back().source = LaneInput::Source::Primitive;
  plan.inputs.back().offset = 192;
  plan.own_subspans = true;
  const auto program = program_of(kShows, plan);
  const Targets targets("R32_FLOAT", 1, 160);
  image::OutputState state;
  state.depth_test = state.depth_write = true;
  std::uint64_t threads = 0, alone = 0;
  for (int round = 0; round < 24; ++round) {
    Mesh mesh;
    mesh.attributes.emplace_back().components = 2;
    for (int k = 0; k < 24; ++k) add_triangles(mesh, random, std::array{0.02, 0.1, 0.5, 1.5}[random() % 4]);
    state.depth_func = round % 2 == 0 ? image::CompareFunction::Always : image::CompareFunction::Less;
    targets.clear(1, 0);
    const Counters wanted = run(*program, targets, state, mesh, true);
    const auto bytes = targets.bytes();
    for (const unsigned workers : {1u, 2u, 4u}) {
      targets.clear(1, 0);
      const Counters found = run(*program, targets, state, mesh, false, workers);
      EXPECT_EQ(targets.bytes(), bytes) << round << ' ' << workers;
      EXPECT_EQ(found.fragment_invocations, wanted.fragment_invocations);
      EXPECT_LE(found.threads, wanted.threads);
      threads += found.threads;
      alone += wanted.threads;
    }
  }
  if (engine::jit::has_compiler()) EXPECT_LT(threads, alone);  // some are shared
}

TEST_F(FramebufferOperations, DroppedFragmentsKeepTheirDepth_FBO2) {
  const Targets targets("R32_FLOAT", 1);
  image::OutputState state;
  state.depth_test = state.depth_write = true;
  state.depth_func = image::CompareFunction::Less;
  for (const bool reference : {false, true})
    for (const bool early : {false, true}) {
      const auto program = program_of(kDrops, plan_of(1, early));
      targets.clear(0.5f, 0);
      const Mesh mesh = full_screen_triangle();  // z = 0
      const Counters first = run(*program, targets, state, mesh, reference);
      float z = 1;
      std::memcpy(&z, targets.depth->memory->data(), 4);
      EXPECT_EQ(z, early ? 0.0f : 0.5f);
      EXPECT_EQ(first.fragment_invocations, kSize * kSize);
      EXPECT_EQ(first.samples_passed, early ? kSize * kSize : 0u);
      const Counters second = run(*program, targets, state, mesh, reference);
      EXPECT_EQ(second.fragment_invocations, early ? 0u : kSize * kSize);  // 0 < 0 fails before the kernel
      EXPECT_EQ(second.threads, early ? 0u : kSize * kSize / 16);
    }
}

TEST_F(FramebufferOperations, SamplesThatPassAreCounted_FBO3) {
  const Targets targets("R32_FLOAT", 4);
  image::OutputState state;
  const auto program = program_of(kWrites, plan_of(4, false));
  Mesh mesh;  // x from 0 to 12, y from 0 to 24: no sample on an edge
  mesh.positions = {{-1, -1, 0.25, 1}, {-0.5, -1, 0.25, 1}, {-1, 0, 0.25, 1}, {-0.5, 0, 0.25, 1}};
  mesh.triangles = {{0, 1, 2}, {2, 1, 3}};
  for (const bool reference : {false, true}) {
    targets.clear(0.5f, 0);
    EXPECT_EQ(run(*program, targets, state, mesh, reference).samples_passed, 12u * 24 * 4);
    state.blend[0].write_disable.fill(true);
    EXPECT_EQ(run(*program, targets, state, mesh, reference).samples_passed, 12u * 24 * 4);
    state.depth_test = true;
    state.depth_func = image::CompareFunction::Greater;
    EXPECT_EQ(run(*program, targets, state, mesh, reference).samples_passed, 0u);
    state = {};
  }
}

TEST_F(FramebufferOperations, StatisticsAreExact_FBO4) {
  const Targets targets("R32_FLOAT", 1);
  const auto program = program_of(kWrites, plan_of(1, false));
  Mesh mesh;
  mesh.positions = {{-1, -1, 0.5, 1}, {0, -1, 0.5, 1}, {-1, 0, 0.5, 1}, {1, 1, -0.5, 1}, {5, 5, 9, 1}};
  // Inside; behind the far plane; cut by the near plane at two edges, which leaves two triangles.
  mesh.triangles = {{0, 1, 2}, {4, 4, 4}, {0, 1, 3}};
  for (const bool reference : {false, true}) {
    const Counters c = run(*program, targets, {}, mesh, reference);
    EXPECT_EQ(c.clipping_invocations, 3u);
    EXPECT_EQ(c.clipping_primitives, 1u + 0 + 2);
    EXPECT_EQ(c.samples_passed, c.fragment_invocations);
  }
}

TEST_F(FramebufferOperations, DepthBoundsLookAtWhatIsStored_OM24) {
  image::OutputState state;
  state.depth_bounds_test = true;
  for (const std::string_view format : {"R32_FLOAT", "R24_UNORM_X8_TYPELESS", "R16_UNORM"}) {
    const Targets targets(format, 1);
    const auto program = program_of(kWrites, plan_of(1, false));
    for (const bool reference : {false, true})
      for (const float low : {0.25f, 0.625f}) {
        state.depth_bounds = {low, 0.75f};
        targets.clear(0.5f, 0);
        EXPECT_EQ(run(*program, targets, state, full_screen_triangle(), reference).samples_passed,
                  low < 0.5f ? kSize * kSize : 0u);
      }
  }
}

}  // namespace
}  // namespace heddle::pipeline
