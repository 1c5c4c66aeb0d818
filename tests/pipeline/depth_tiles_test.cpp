// SPDX-License-Identifier: MIT
// Draws that look at the depths of tiles against draws that don't: the same bits, and fewer threads.
// Rules: FBO-5.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "pipeline/pixels/pixels.hpp"
#include "pipeline/tiles/depth_tiles.hpp"
#include "support/programs.hpp"

namespace heddle::pipeline {
namespace {

/// Each draw adds a sixteenth to what it covers.
constexpr const char* kAdds = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) a(0,0)<1> 0x3d800000:f
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 a.0 a.0 a.0
    ret (M1, 1)
)";

constexpr std::uint32_t kWidth = 150, kHeight = 100;

std::shared_ptr<image::Surface> surface_of(std::string_view format, std::uint32_t samples) {
  auto surface = std::make_shared<image::Surface>();
  surface->format = image::find_format(format)->format;
  surface->width = kWidth;
  surface->height = kHeight;
  surface->samples = samples;
  return test::allocated(std::move(surface));
}

struct Targets {
  std::shared_ptr<image::Surface> color, depth, stencil;
  DepthTiles tiles;
  Targets(std::string_view format, std::uint32_t samples)
      : color(surface_of("R8G8B8A8_UNORM", samples)),
        depth(surface_of(format, samples)),
        stencil(surface_of("R8_UINT", samples)) {
    std::ranges::fill(*color->memory, std::uint8_t{0});
    std::ranges::fill(*stencil->memory, std::uint8_t{7});
    clear({0, 0, kWidth, kHeight, 0, 1}, 1);
  }
  /// What a clear of an attachment does.
  void clear(const DepthTiles::Box& box, float z) {
    tiles.clear(*depth, box, z);
    const std::size_t bytes = depth->format == image::Format::R16_UNORM ? 2 : 4;
    const std::uint32_t word = bytes == 2                                  ? std::uint32_t(z * 65535)
                               : depth->format == image::Format::R32_FLOAT ? base::bits_of(z)
                                                                           : std::uint32_t(z * 16777215);
    const image::LevelLayout& at = depth->layout[0];
    for (std::uint32_t s = 0; s < depth->samples; ++s)
      for (auto y = box.top; y < box.bottom; ++y)
        for (auto x = box.left; x < box.right; ++x)
          std::memcpy(depth->memory->data() + at.offset + s * at.slice_pitch +
                          static_cast<std::size_t>(y) * at.row_pitch + static_cast<std::size_t>(x) * bytes,
                      &word, bytes);
  }
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> bytes() const {
    return {color->memory->copy(), depth->memory->copy(), stencil->memory->copy()};
  }
};

class DepthTilesTest : public ::testing::Test {
 protected:
  std::shared_ptr<const PixelProgram> program_of(std::uint32_t samples) {
    bound.bindings.surface_variables = {{6, {0}}};
    bound.payload.resize(128);
    PixelPlan plan;
    plan.samples = samples;
    plan.positions = sample_positions(samples);
    plan.keeps_fragments = plan.own_subspans = true;
    plan.own_lanes = samples != 2;
    return PixelProgram::create(test::program_of(kAdds), plan, bound, {.disk_cache = false, .memory = &codes});
  }
  Counters run(const PixelProgram& program, Targets& targets, const image::OutputState& output, const Mesh& mesh,
               bool tiles, unsigned workers = 1) {
    auto state = std::make_shared<machine::PixelState>();
    state->output = output;
    state->output.blend[0].enable = true;
    state->output.blend[0].src_color = state->output.blend[0].dst_color = image::BlendFactor::One;
    state->output.blend[0].src_alpha = state->output.blend[0].dst_alpha = image::BlendFactor::One;
    state->depth = targets.depth;
    state->stencil = targets.stencil;
    state->samples = program.plan().samples;
    Draw draw;
    draw.mesh = mesh;
    draw.raster.width = kWidth;
    draw.raster.height = kHeight;
    draw.raster.viewports[0] = {0, 0, kWidth, kHeight, 0, 1};
    draw.raster.samples = program.plan().positions;
    draw.state = std::move(state);
    if (tiles) draw.tiles = &targets.tiles;
    bound.bindings.surfaces = {targets.color};
    machine::Reports reports(program.program().source(), machine::CheckMode::Off);
    engine::reference::Budget budget(base::Limits{});
    RunContext context{.reports = reports, .budget = budget};
    context.count_samples = true;
    context.may_skip = tiles;
    context.workers = workers;
    context.memory_bytes = base::Limits{}.memory_bytes;
    Counters counters;
    EXPECT_TRUE(program.run(draw, bound, context, counters));
    return counters;
  }
  Bound bound;
  engine::jit::MemoryCache codes;
};

/// Triangles, lines or points of every size; some of one depth.
Mesh random_mesh(std::mt19937& random) {
  Mesh mesh;
  const auto number = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
  const bool small = random() % 2 == 0;
  const double size = small ? 0.1 : 1.5, layer = random() % 3 == 0 ? (number() + 1) / 2 : -1;
  const std::uint32_t count = small ? 60 : 4, kind = random() % 8;
  for (std::uint32_t k = 0; k < count; ++k) {
    const double x = number(), y = number(), z = (number() + 1) / 2;
    for (std::uint32_t corner = 0; corner < 3; ++corner)
      mesh.positions.push_back({x + number() * size, y + number() * size,
                                layer >= 0 ? layer : std::clamp(z + number() * size / 4, 0.0, 1.0), 1});
    if (kind == 0)
      mesh.lines.push_back({3 * k, 3 * k + 1, false});
    else if (kind == 1)
      mesh.points.push_back(3 * k);
    else
      mesh.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  if (kind == 1) mesh.point_sizes.assign(mesh.positions.size(), small ? 5 : 70);
  return mesh;
}

image::OutputState random_state(std::mt19937& random) {
  image::OutputState s;
  const auto compare = [&] { return static_cast<image::CompareFunction>(random() % 8); };
  const auto op = [&] { return static_cast<image::StencilOp>(random() % 3 == 0 ? random() % 8 : 0); };
  s.depth_test = random() % 8 != 0;
  s.depth_write = s.depth_test && random() % 4 != 0;
  s.depth_func = random() % 2 == 0 ? image::CompareFunction::Less : compare();
  s.depth_range = random() % 4 == 0 ? std::array{0.25f, 0.75f} : std::array{0.0f, 1.0f};
  s.stencil_test = s.stencil_write = random() % 4 == 0;
  for (image::StencilFace* face : {&s.front, &s.back}) *face = {compare(), op(), op(), op(), 255, 255, 7};
  s.depth_bounds_test = random() % 8 == 0;
  return s;
}

TEST_F(DepthTilesTest, HideNothingThatShows) {
  for (const char* format : {"R32_FLOAT", "R24_UNORM_X8_TYPELESS", "R16_UNORM"})
    for (const std::uint32_t samples : {1u, 4u}) {
      const auto program = program_of(samples);
      std::uint64_t threads = 0, all = 0;
      for (std::uint32_t seed = 0; seed < 3; ++seed) {
        SCOPED_TRACE(testing::Message() << format << " samples " << samples << " seed " << seed);
        std::mt19937 random(seed);
        Targets plain(format, samples), one(format, samples), three(format, samples);
        for (unsigned draw = 0; draw < 10; ++draw) {
          if (random() % 4 == 0) {
            const auto left = static_cast<std::int32_t>(random() % 100), top = static_cast<std::int32_t>(random() % 60);
            const float z = static_cast<float>(random() % 5) / 4;
            for (Targets* t : {&plain, &one, &three}) t->clear({left, top, left + 50, top + 40, 0, 1}, z);
          }
          const Mesh mesh = random_mesh(random);
          const image::OutputState state = random_state(random);
          const Counters wanted = run(*program, plain, state, mesh, false),
                         found = run(*program, one, state, mesh, true),
                         several = run(*program, three, state, mesh, true, 3);
          EXPECT_EQ(found.samples_passed, wanted.samples_passed) << draw;
          EXPECT_EQ(several.samples_passed, wanted.samples_passed) << draw;
          EXPECT_EQ(one.bytes(), plain.bytes()) << draw;
          EXPECT_EQ(three.bytes(), plain.bytes()) << draw;
          if (testing::Test::HasFailure()) return;
          threads += found.threads;
          all += wanted.threads;
        }
      }
      if (engine::jit::has_compiler()) EXPECT_LT(threads, all);
    }
}

TEST_F(DepthTilesTest, HiddenThreadsDoNotRun) {
  if (!engine::jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  const auto program = program_of(1);
  Mesh mesh;
  mesh.positions = {{-1, -1, 0.5, 1}, {3, -1, 0.5, 1}, {-1, 3, 0.5, 1}};
  mesh.triangles = {{0, 1, 2}};
  image::OutputState less;
  less.depth_test = less.depth_write = true;
  less.depth_func = image::CompareFunction::Less;
  for (const unsigned workers : {1u, 2u}) {
    Targets targets("R32_FLOAT", 1);
    const Counters first = run(*program, targets, less, mesh, true, workers);
    EXPECT_EQ(first.fragment_invocations, kWidth * kHeight);
    const Counters second = run(*program, targets, less, mesh, true, workers);
    EXPECT_EQ(second.threads, 0u);
    // Half of the target is cleared: what lies there shows again.
    targets.clear({0, 0, 64, kHeight, 0, 1}, 1);
    const Counters third = run(*program, targets, less, mesh, true, workers);
    EXPECT_EQ(third.samples_passed, 64u * kHeight);
    EXPECT_EQ(third.fragment_invocations, 64u * kHeight);
    // Nobody knows what happened: memory is read again.
    targets.tiles.forget();
    EXPECT_EQ(run(*program, targets, less, mesh, true, workers).threads, 0u);
    // Fragments that fail change the stencil values: each of them counts.
    image::OutputState stencil = less;
    stencil.stencil_test = stencil.stencil_write = true;
    stencil.front.zfail_op = stencil.back.zfail_op = image::StencilOp::Zero;
    stencil.double_sided = true;
    EXPECT_NE(run(*program, targets, stencil, mesh, true, workers).threads, 0u);
    EXPECT_EQ(targets.stencil->memory->copy()[0], 0);
  }
}

}  // namespace
}  // namespace heddle::pipeline
