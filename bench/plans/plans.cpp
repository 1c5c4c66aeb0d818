// SPDX-License-Identifier: MIT
// What a run costs before its first instruction: kernels made ready once and run again and again, on one core.
// google-benchmark; options: --markdown FILE, and google-benchmark's own.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "pipeline/compute/compute.hpp"
#include "pipeline/pixels/pixels.hpp"
#include "pipeline/vertices/vertices.hpp"
#include "support/programs.hpp"
#include "support/rates.hpp"

namespace heddle::bench {
namespace {

using test::buffer_of;
using test::image_of;
using test::kArgument;
using test::program_of;
using test::set_push;

/// `operations` samples at coordinates that the local id and a push constant give; the sum of their reds is stored.
std::string compute_source(unsigned operations) {
  std::string text = R"(.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl push v_type=G type=f num_elts=8 align=GRF
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl u v_type=G type=f num_elts=16 align=GRF
.decl sum v_type=G type=f num_elts=16 align=GRF
.decl d v_type=G type=f num_elts=64 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input X offset=32 size=32
.input push offset=128 size=32
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) at(0,0)<1> X(0,0)<1;1,0>
    mov (M1, 16) u(0,0)<1> at(0,0)<1;1,0>
    mul (M1, 16) u(0,0)<1> u(0,0)<1;1,0> push(0,0)<0;1,0>
    mov (M1, 16) sum(0,0)<1> 0.0:f
)";
  for (unsigned k = 0; k < operations; ++k)
    text +=
        "    sample_lz.RGBA (M1, 16) 0x0:uw S0 T6 d.0 u.0 u.0\n"
        "    add (M1, 16) sum(0,0)<1> sum(0,0)<1;1,0> d(0,0)<1;1,0>\n"
        "    add (M1, 16) u(0,0)<1> u(0,0)<1;1,0> 0.03:f\n";
  return text + R"(    shl (M1, 16) at(0,0)<1> at(0,0)<1;1,0> 2:ud
    scatter4_scaled.R (M1, 16) T7 0x0:ud at.0 sum.0
    ret (M1, 1)
)";
}

/// Position x, y, 0, 1.
constexpr const char* kVertex = R"(.version 4.1
.kernel "v"
.decl x v_type=G type=f num_elts=16 align=GRF
.decl y v_type=G type=f num_elts=16 align=GRF
.decl slot v_type=G type=ud num_elts=16 align=GRF
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl record v_type=G type=f num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
.input x offset=128 size=64
.input y offset=192 size=64
.input slot offset=256 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    shl (M1, 16) at(0,0)<1> slot(0,0)<1;1,0> 4:ud
    mov (M1, 16) record(0,0)<1> x(0,0)<1;1,0>
    mov (M1, 16) record(2,0)<1> y(0,0)<1;1,0>
    mov (M1, 16) record(4,0)<1> 0.0:f
    mov (M1, 16) record(6,0)<1> 1.0:f
    scatter4_scaled.RGBA (M1, 16) T6 0x0:ud at.0 record.0
    ret (M1, 1)
)";

/// A kernel of so many texture operations, and one group of 64 invocations.
struct Dispatch {
  explicit Dispatch(unsigned operations) : program(program_of(compute_source(operations))) {
    bound.bindings.surfaces = {image_of("R8G8B8A8_UNORM", 64), buffer_of(4096)};
    auto sampler = std::make_shared<image::Sampler>();
    sampler->min_filter = sampler->mag_filter = image::Filter::Linear;
    bound.bindings.samplers = {sampler};
    bound.bindings.surface_variables = {{6, {0}}, {7, {1}}};
    bound.bindings.sampler_variables = {{0, {0}}};
    bound.payload.resize(kArgument + 32);
    pipeline::ComputePlan plan;
    plan.arguments = kArgument;
    plan.local_ids = {{32, 96}};
    compute = pipeline::ComputeProgram::create(program, plan, bound, {.disk_cache = false});
    grid.global = grid.local = {64, 1, 1};
    if (std::string why; compute->prepare(bound, why) == nullptr) std::fprintf(stderr, "%s\n", why.c_str());
  }
  /// As one submission would run them.
  void run(unsigned times, const std::function<void(unsigned)>& before = {}) {
    machine::Reports reports(program->source(), machine::CheckMode::Off);
    engine::reference::Budget budget(limits);
    pipeline::RunContext context{.reports = reports, .budget = budget, .memory_bytes = limits.memory_bytes};
    pipeline::Counters counters;
    for (unsigned k = 0; k < times; ++k) {
      if (before) before(k);
      if (!compute->run(grid, bound, context, counters)) std::exit(1);
    }
  }
  base::Limits limits{.steps = std::uint64_t{1} << 50};
  std::shared_ptr<const pipeline::Program> program;
  std::shared_ptr<const pipeline::ComputeProgram> compute;
  pipeline::Bound bound;
  pipeline::Grid grid;
};

void finish(benchmark::State& state, std::int64_t each) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * each);
  state.SetLabel("run");
}

/// The first time compiles, and is not measured.
template <typename Work>
void measure(benchmark::State& state, const Work& work) {
  work();
  for (auto _ : state) work();
}

/// 1,000 dispatches, the push constant different in each.
void dispatches(benchmark::State& state) {
  Dispatch d(static_cast<unsigned>(state.range(0)));
  measure(state, [&] { d.run(1000, [&](unsigned k) { set_push(d.bound.payload, 0.001f * static_cast<float>(k)); }); });
  finish(state, 1000);
}

/// The same kernel inside one dispatch of 1,000 groups: what is left is the running itself.
void groups(benchmark::State& state) {
  Dispatch d(static_cast<unsigned>(state.range(0)));
  d.grid.global[0] = 64000;
  d.grid.groups[0] = 1000;
  measure(state, [&] { d.run(1); });
  finish(state, 1000);
}

void one_dispatch(benchmark::State& state) {
  Dispatch d(static_cast<unsigned>(state.range(0)));
  measure(state, [&] { d.run(1); });
  finish(state, 1);
}

/// Dispatches that take turns with two textures.
void textures(benchmark::State& state, std::string_view other) {
  Dispatch d(static_cast<unsigned>(state.range(0)));
  const machine::SurfaceResource two[] = {d.bound.bindings.surfaces[0], image_of(other, 64)};
  measure(state, [&] { d.run(1000, [&](unsigned k) { d.bound.bindings.surfaces[0] = two[k & 1]; }); });
  finish(state, 1000);
}
void same_state(benchmark::State& state) { textures(state, "R8G8B8A8_UNORM"); }
void other_state(benchmark::State& state) { textures(state, "R16G16_UNORM"); }

/// A texture that was not there before, in each dispatch.
void new_textures(benchmark::State& state) {
  Dispatch d(static_cast<unsigned>(state.range(0)));
  const auto image = image_of("R8G8B8A8_UNORM", 64);
  measure(state, [&] { d.run(1000, [&](unsigned) { d.bound.bindings.surfaces[0] = image; }); });
  finish(state, 1000);
}

/// A pixel kernel of one color and its target.
struct Pixels {
  explicit Pixels(std::uint32_t size) : program(program_of(test::kOneColor)) {
    bound.bindings.surfaces = {image_of("R8G8B8A8_UNORM", size)};
    bound.bindings.surface_variables = {{6, {0}}};
    bound.payload.resize(kArgument + 32);
    pixels = pipeline::PixelProgram::create(program, {}, bound, {.disk_cache = false});
    draw.raster.width = draw.raster.height = size;
    draw.raster.viewports[0] = {0, 0, static_cast<double>(size), static_cast<double>(size), 0, 1};
    draw.state = std::make_shared<machine::PixelState>();
  }
  /// As one submission would run them.
  template <typename Before>
  void run(unsigned times, const Before& before) {
    machine::Reports reports(program->source(), machine::CheckMode::Off);
    engine::reference::Budget budget(limits);
    pipeline::RunContext context{.reports = reports, .budget = budget, .memory_bytes = limits.memory_bytes};
    pipeline::Counters counters;
    for (unsigned k = 0; k < times; ++k) {
      before(k, context);
      if (!pixels->run(draw, bound, context, counters)) std::exit(1);
    }
  }
  base::Limits limits{.steps = std::uint64_t{1} << 50};
  std::shared_ptr<const pipeline::Program> program;
  std::shared_ptr<const pipeline::PixelProgram> pixels;
  pipeline::Bound bound;
  pipeline::Draw draw;
};

/// 64x64 pixels; a push constant different in each.
void draws(benchmark::State& state) {
  Pixels p(64);
  p.draw.mesh = pipeline::full_screen_triangle();
  p.draw.mesh.full_screen = state.range(0) == 0;
  measure(state, [&] {
    p.run(1000, [&](unsigned k, pipeline::RunContext&) { set_push(p.bound.payload, 0.001f * static_cast<float>(k)); });
  });
  finish(state, 1000);
}

/// The same with the triangle from a vertex shader.
void vertex_draws(benchmark::State& state) {
  Pixels p(64);
  const auto program = program_of(kVertex);
  pipeline::Bound bound;
  bound.bindings.surface_variables = {{6, {0}}};
  bound.payload.resize(kArgument + 192);
  pipeline::VertexPlan plan;
  plan.stride = 16;
  plan.position = {0, 4, 8, 12};
  plan.fetches = {{.register_offset = kArgument, .format = image::Format::R32G32_FLOAT},
                  {.register_offset = kArgument + 64, .format = image::Format::R32G32_FLOAT, .component = 1}};
  plan.values = {{pipeline::SystemValue::Slot, kArgument + 128}};
  const auto vertices = pipeline::VertexProgram::create(program, plan, bound, {.disk_cache = false});
  const float corners[] = {-1, -1, 3, -1, -1, 3};
  const pipeline::VertexBuffer buffer{{reinterpret_cast<const std::uint8_t*>(corners), sizeof corners},
                                      2 * sizeof(float)};
  pipeline::VertexDraw draw{.vertices = 3};
  draw.buffers = {&buffer, 1};
  measure(state, [&] {
    p.run(1000, [&](unsigned, pipeline::RunContext& context) {
      pipeline::Counters counters;
      if (!vertices->run(draw, bound, {}, p.draw.mesh, context, counters)) std::exit(1);
    });
  });
  finish(state, 1000);
}

/// 131,072 triangles of eight pixels.
void small_triangles(benchmark::State& state) {
  constexpr std::uint32_t kCells = 256;
  Pixels p(kCells * 4);
  pipeline::Mesh& mesh = p.draw.mesh;
  for (std::uint32_t y = 0; y <= kCells; ++y)
    for (std::uint32_t x = 0; x <= kCells; ++x)
      mesh.positions.push_back({2.0 * x / kCells - 1, 2.0 * y / kCells - 1, 0.5, 1});
  for (std::uint32_t y = 0; y < kCells; ++y)
    for (std::uint32_t x = 0; x < kCells; ++x) {
      const std::uint32_t at = y * (kCells + 1) + x;
      mesh.triangles.push_back({at, at + 1, at + kCells + 1});
      mesh.triangles.push_back({at + 1, at + kCells + 2, at + kCells + 1});
    }
  measure(state, [&] { p.run(1, [](unsigned, pipeline::RunContext&) {}); });
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * mesh.triangles.size()));
  state.SetLabel("triangle");
}

void add_benchmarks() {
  const auto add = [](const std::string& name, void (*run)(benchmark::State&), unsigned argument) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Arg(argument);
  };
  for (const unsigned operations : {1u, 64u}) {
    const std::string of = fmt::format(", {} texture operation{}", operations, operations == 1 ? "" : "s");
    add("one dispatch of a submission" + of, one_dispatch, operations);
    add("1,000 dispatches" + of, dispatches, operations);
    add("the same as groups of one dispatch" + of, groups, operations);
    add("two textures of one state in turns" + of, same_state, operations);
    add("two static states in turns" + of, other_state, operations);
    add("a new texture each time" + of, new_textures, operations);
  }
  add("1,000 draws of 64x64 pixels, full screen", draws, 0);
  add("1,000 draws of 64x64 pixels, a mesh", draws, 1);
  add("1,000 draws of 64x64 pixels, from a vertex shader", vertex_draws, 0);
  add("131,072 triangles of eight pixels", small_triangles, 0);
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  const Options options = parse_options(argc, argv, {"--benchmark_*"});
  add_benchmarks();
  Section section("Runs of kernels that are ready");
  section.paragraph(
      "One group of 64 invocations (four SIMD16 threads), or one triangle over 64x64 pixels, again and again on one "
      "core: "
      "all that a run costs, with what it runs.");
  add_rates(section, run_rates(options, argv[0]));
  return section.finish(options.markdown) ? 0 : 1;
}
