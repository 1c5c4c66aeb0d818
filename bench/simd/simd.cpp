// SPDX-License-Identifier: MIT
// The vector functions as built natively: every choice of code is made at run time. (The fast engine specializes them.)
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/half.hpp"
#include "image/surface.hpp"
#include "render_target/simd/prepared.hpp"
#include "support/rates.hpp"

namespace heddle::bench {
namespace {

using image::Surface;
using texture::Op;
using texture::Param;
namespace simd = texture::simd;

constexpr unsigned kLanes = 16, kSets = 256;

Surface make_surface(std::string_view format, std::uint32_t size, std::uint32_t levels, image::SurfaceType type) {
  Surface s;
  s.type = type;
  s.format = image::find_format(format)->format;
  s.width = s.height = size;
  s.levels = levels;
  s.mip_count = levels - 1;
  if (type == image::SurfaceType::Cube) s.layers = 6;
  if (!image::allocate(s)) std::abort();
  const bool words = s.info().channels[0].bits == 32;
  std::uint32_t state = 1;
  for (std::size_t at = 0; at + 4 <= s.memory->size(); at += 4) {
    state = state * 1664525u + 1013904223u;
    // Floats of 0 to 1 in 32-bit formats, finite halves in 16-bit ones, any bytes in others.
    std::uint32_t word = state;
    if (words) word = base::bits_of(static_cast<float>(state >> 8) / 16777216.0f);
    if (s.info().channels[0].type == image::ChannelType::Float && !words) word &= 0x3bff3bffu;
    std::memcpy(s.memory->data() + at, &word, 4);
  }
  return s;
}

enum class Where { Row, Random };

struct Case {
  Op op;
  std::string_view format;
  Where where = Where::Row;
  std::uint32_t size = 1024, levels = 1;
  image::SurfaceType type = image::SurfaceType::Dim2;
  image::Sampler sampler;
};

image::Sampler sampler(image::Filter filter, image::MipFilter mip, image::AddressMode mode) {
  image::Sampler s;
  s.min_filter = s.mag_filter = filter;
  s.mip_filter = mip;
  s.tcx = s.tcy = s.tcz = mode;
  s.cube_override = mode == image::AddressMode::Cube;
  s.max_anisotropy = 7;
  s.compare = image::CompareFunction::Less;
  s.set_api_rounding();
  return s;
}

/// Coordinates of 16 neighboring texels of a row, or anywhere.
std::vector<std::uint32_t> coordinates(const Case& c, Param param) {
  std::vector<std::uint32_t> words(kSets * kLanes);
  std::uint32_t seed = 11 + static_cast<std::uint32_t>(param);
  const auto size = static_cast<float>(c.size);
  for (std::uint32_t k = 0; k < words.size(); ++k) {
    seed = seed * 1664525u + 1013904223u;
    const std::uint32_t set = k / kLanes, lane = k % kLanes;
    float x = static_cast<float>(seed >> 8) / 16777216.0f;
    if (c.where == Where::Row) {
      if (param == Param::U) x = (static_cast<float>(set * kLanes % c.size + lane) + 0.25f) / size;
      if (param == Param::V) x = (static_cast<float>(set) + 0.6f) / size;
    }
    if (c.type == image::SurfaceType::Cube) x = param == Param::R ? 1.0f : x * 1.6f - 0.8f;
    if (param == Param::DuDx) x = 8.0f / size;
    if (param == Param::DvDy) x = 1.0f / size;
    if (param == Param::DuDy || param == Param::DvDx) x = 0;
    words[k] = c.op == Op::Ld ? static_cast<std::uint32_t>(x * size) % c.size : base::bits_of(x);
  }
  return words;
}

void run_case(benchmark::State& state, const Case& c) {
  const Surface surface = make_surface(c.format, c.size, c.levels, c.type);
  texture::LaneRequest request;
  request.op = c.op;
  request.simd = kLanes;
  request.surface = &surface;
  request.sampler = &c.sampler;
  texture::OperationContext context;
  const auto prepared = simd::prepare(request, context);
  std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> inputs;
  for (const Param p : texture::operation(c.op).parameters())
    if (p != Param::Ai && p != Param::Lod && !(p == Param::R && c.type != image::SurfaceType::Cube))
      inputs.emplace_back(static_cast<std::size_t>(p), coordinates(c, p));
  std::array<std::uint32_t, 4 * kLanes + 1> out;
  std::size_t set = 0;
  const simd::InstructionSet target = simd::best_instruction_set();
  for (auto _ : state) {
    simd::Inputs in{};
    for (const auto& [param, words] : inputs) in.param[param] = words.data() + set * kLanes;
    set = (set + 1) % kSets;
    simd::run_lanes(*prepared, in, kLanes, 0xffff, out.data(), context, target);
    benchmark::DoNotOptimize(out);
  }
  if (!simd::is_fast(*prepared)) state.SkipWithError("the state is not fast");
  state.SetItemsProcessed(state.iterations() * kLanes);
  state.SetLabel("lane");
}

void target_pixels(benchmark::State& state, std::string_view format, bool blend, bool depth) {
  Surface color = make_surface(format, 256, 1, image::SurfaceType::Dim2);
  Surface z = make_surface("R32_FLOAT", 256, 1, image::SurfaceType::Dim2);
  render_target::OutputTargets targets;
  targets.color = {&color};
  image::OutputState output;
  output.blend[0].enable = blend;
  output.blend[0].src_color = image::BlendFactor::SrcAlpha;
  output.blend[0].dst_color = image::BlendFactor::InvSrcAlpha;
  if (depth) {
    targets.depth = &z;
    output.depth_test = output.depth_write = true;
    output.depth_func = image::CompareFunction::Lequal;
  }
  render_target::RenderTargetMessage message;
  message.simd = kLanes;
  message.last = true;
  message.r = message.g = message.b = message.a = render_target::RenderTargetMessage::filled(0x3f000000);
  texture::OperationContext context;
  const auto prepared = render_target::simd::prepare(targets, output, message, context);
  std::uint32_t n = 0;
  for (auto _ : state) {
    const std::uint32_t x = n * 8 % 256, y = n * 8 / 256 * 2 % 256;
    for (std::uint32_t q = 0; q < 4; ++q) message.header.x[q] = x + 2 * q, message.header.y[q] = y;
    ++n;
    render_target::simd::write(*prepared, message, context);
  }
  if (!render_target::simd::is_fast(*prepared)) state.SkipWithError("the state is not fast");
  state.SetItemsProcessed(state.iterations() * kLanes);
  state.SetLabel("pixel");
}

void register_all() {
  using image::AddressMode;
  using image::Filter;
  using image::MipFilter;
  const auto add = [](const char* name, const Case& c) {
    benchmark::RegisterBenchmark(name, [c](benchmark::State& state) { run_case(state, c); });
  };
  const image::Sampler linear = sampler(Filter::Linear, MipFilter::None, AddressMode::Wrap);
  const image::Sampler clamp = sampler(Filter::Linear, MipFilter::None, AddressMode::Clamp);
  const image::Sampler cube = sampler(Filter::Linear, MipFilter::None, AddressMode::Cube);
  const image::Sampler trilinear = sampler(Filter::Linear, MipFilter::Linear, AddressMode::Wrap);
  const image::Sampler anisotropic = sampler(Filter::Anisotropic, MipFilter::Linear, AddressMode::Wrap);
  constexpr auto kFlat = image::SurfaceType::Dim2, kCube = image::SurfaceType::Cube;
  constexpr std::string_view kRgba8 = "R8G8B8A8_UNORM", kR32 = "R32_FLOAT", kRgba16 = "R16G16B16A16_FLOAT";
  add("gather4, RGBA8, row", {Op::Gather4, kRgba8, Where::Row, 1024, 1, kFlat, linear});
  add("gather4, RGBA8, random", {Op::Gather4, kRgba8, Where::Random, 1024, 1, kFlat, linear});
  add("gather4, RGBA8, random in 64 x 64", {Op::Gather4, kRgba8, Where::Random, 64, 1, kFlat, linear});
  add("gather4, R32F, row", {Op::Gather4, kR32, Where::Row, 1024, 1, kFlat, linear});
  add("gather4, RGBA16F, row", {Op::Gather4, kRgba16, Where::Row, 1024, 1, kFlat, linear});
  add("gather4_c, R32F, row", {Op::Gather4C, kR32, Where::Row, 1024, 1, kFlat, clamp});
  add("gather4, cube, RGBA8", {Op::Gather4, kRgba8, Where::Random, 256, 1, kCube, cube});
  add("bilinear, RGBA8, row", {Op::SampleLz, kRgba8, Where::Row, 1024, 1, kFlat, linear});
  add("bilinear, R32F, row", {Op::SampleLz, kR32, Where::Row, 1024, 1, kFlat, linear});
  add("bilinear, RGBA16F, row", {Op::SampleLz, kRgba16, Where::Row, 1024, 1, kFlat, linear});
  add("bilinear, RGBA32F, row", {Op::SampleLz, "R32G32B32A32_FLOAT", Where::Row, 1024, 1, kFlat, linear});
  add("bilinear, sRGB8, row", {Op::SampleLz, "R8G8B8A8_UNORM_SRGB", Where::Row, 1024, 1, kFlat, linear});
  add("bilinear compare, R32F, row", {Op::SampleCLz, kR32, Where::Row, 1024, 1, kFlat, clamp});
  add("trilinear, RGBA8, row", {Op::Sample, kRgba8, Where::Row, 1024, 11, kFlat, trilinear});
  add("anisotropic 16, RGBA8", {Op::SampleD, kRgba8, Where::Row, 1024, 11, kFlat, anisotropic});
  add("ld, RGBA8, random", {Op::Ld, kRgba8, Where::Random, 1024, 1, kFlat, linear});
  const auto target = [](const char* name, std::string_view format, bool blend, bool depth) {
    benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { target_pixels(state, format, blend, depth); });
  };
  target("target write, RGBA8", kRgba8, false, false);
  target("target write, RGBA8, blend", kRgba8, true, false);
  target("target write, RGBA8, depth test", kRgba8, false, true);
  target("target write, RGBA16F", kRgba16, false, false);
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  register_all();
  const auto rates = run_rates(parse_options(argc, argv, {"--benchmark_*"}), argv[0]);
  Section section("Texture unit over lanes");
  section.paragraph(
      "SIMD16 calls of the kernels as the library has them, every choice of code made at run time; row: lanes on "
      "neighboring texels. Medians of 3 runs, one thread.");
  add_rates(section, rates);
  return section.finish(parse_options(argc, argv, {"--benchmark_*"}).markdown) ? 0 : 1;
}
