// SPDX-License-Identifier: MIT
// The reference texture unit: time for each lane, query or pixel of the public functions in unit/.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "base/half.hpp"
#include "image/surface.hpp"
#include "render_target/render_target.hpp"
#include "support/rates.hpp"
#include "texture/footprint.hpp"
#include "texture/request.hpp"
#include "texture/sample_unorm.hpp"

namespace heddle::bench {
namespace {

using image::Surface;
using texture::LaneRequest;
using texture::LaneWords;
using texture::Op;
using texture::Param;

constexpr std::uint32_t kSize = 256;
constexpr unsigned kSets = 64;  // different coordinates in turn, so that no branch is learned by heart

Surface make_surface(std::string_view format, std::uint32_t levels, std::uint32_t samples = 1) {
  Surface s;
  s.format = image::find_format(format)->format;
  s.width = s.height = kSize;
  s.levels = levels;
  s.mip_count = levels - 1;
  s.samples = samples;
  if (!image::allocate(s)) std::abort();
  std::uint32_t state = 1;
  for (std::size_t i = 0; i + 4 <= s.memory->size(); i += 4) {
    state = state * 1664525u + 1013904223u;
    // Floats of 0 to 1 in 32-bit formats, any bytes in others.
    const std::uint32_t word =
        format == "R32_FLOAT" ? base::bits_of(static_cast<float>(state >> 8) / 16777216.0f) : state;
    std::memcpy(s.memory->data() + i, &word, 4);
  }
  return s;
}
image::Sampler linear_sampler(image::MipFilter mip) {
  image::Sampler s;
  s.min_filter = s.mag_filter = image::Filter::Linear;
  s.mip_filter = mip;
  s.tcx = s.tcy = s.tcz = image::AddressMode::Wrap;
  s.set_api_rounding();
  return s;
}

struct Words {
  std::array<LaneWords, kSets> sets{};
  static Words floats(float low, float high, std::uint32_t seed) {
    Words w;
    for (LaneWords& set : w.sets)
      for (std::uint32_t& word : set) {
        seed = seed * 1664525u + 1013904223u;
        word = base::bits_of(low + (high - low) * static_cast<float>(seed >> 8) / 16777216.0f);
      }
    return w;
  }
  static Words integers(std::uint32_t below, std::uint32_t seed) {
    Words w;
    for (LaneWords& set : w.sets)
      for (std::uint32_t& word : set) {
        seed = seed * 1664525u + 1013904223u;
        word = (seed >> 8) % below;
      }
    return w;
  }
  static Words same(float value) { return floats(value, value, 1); }
};

struct Lanes {
  Op op;
  std::string_view format = "R8G8B8A8_UNORM";
  std::uint32_t levels = 1;
  image::Sampler sampler = linear_sampler(image::MipFilter::None);
  std::vector<std::pair<Param, Words>> parameters;
  std::uint32_t samples = 1;
};

void run_lanes(benchmark::State& state, const Lanes& lanes) {
  const Surface surface = make_surface(lanes.format, lanes.levels, lanes.samples);
  LaneRequest request;
  request.op = lanes.op;
  request.simd = 16;
  request.surface = &surface;
  request.sampler = &lanes.sampler;
  texture::OperationContext context;
  std::size_t set = 0;
  for (auto _ : state) {
    for (const auto& [param, words] : lanes.parameters) request.set(param, words.sets[set]);
    set = (set + 1) % kSets;
    benchmark::DoNotOptimize(texture::execute(request, context));
  }
  if (context.reports.has_errors()) state.SkipWithError(context.reports.all().front().message.c_str());
  state.SetItemsProcessed(state.iterations() * 16);
  state.SetLabel("lane");
}

void footprint_query(benchmark::State& state, image::MipFilter mip, double anisotropy, float step) {
  texture::FootprintView view;
  view.size = {1024, 1024, 1};
  view.levels = 11;
  texture::FootprintSampler sampler;
  sampler.mip = mip;
  sampler.max_anisotropy = anisotropy;
  sampler.address.fill(image::AddressMode::Clamp);
  const Words u = Words::floats(0.1f, 0.9f, 3), v = Words::floats(0.1f, 0.9f, 4);
  texture::FootprintQuery query;
  query.granularity = 2;
  query.operand = texture::FootprintOperand::Grad;
  query.gradients.dx = {step, 0, 0};
  query.gradients.dy = {0, 1.0f / 1024, 0};
  std::size_t n = 0;
  for (auto _ : state) {
    query.coordinate = {base::float_from_bits(u.sets[n % kSets][n / kSets % 16]),
                        base::float_from_bits(v.sets[n % kSets][n / kSets % 16]), 0};
    ++n;
    const auto result = texture::footprint(view, sampler, query);
    if (!result) {
      state.SkipWithError(result.diagnostics().front().message.c_str());
      break;
    }
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("query");
}

void target_pixels(benchmark::State& state, std::string_view format,
                   const std::function<void(image::OutputState&)>& change, bool depth) {
  Surface color = make_surface(format, 1), z = make_surface("R32_FLOAT", 1);
  render_target::OutputTargets targets;
  targets.color = {&color};
  if (depth) targets.depth = &z;
  image::OutputState output;
  change(output);
  render_target::RenderTargetMessage message;
  message.simd = 16;
  message.last = true;
  const Words values = Words::floats(0, 1, 9);
  texture::OperationContext context;
  std::uint32_t n = 0;
  for (auto _ : state) {
    // An 8 x 2 block, then the next one.
    const std::uint32_t x = n * 8 % kSize, y = n * 8 / kSize * 2 % kSize;
    for (std::uint32_t q = 0; q < 4; ++q) {
      message.header.x[q] = x + 2 * q;
      message.header.y[q] = y;
    }
    std::size_t set = n;
    for (std::optional<render_target::SlotWords>* channel : {&message.r, &message.g, &message.b, &message.a})
      std::copy_n(values.sets[set++ % kSets].begin(), channel->emplace().size(), (*channel)->begin());
    ++n;
    render_target::write_render_target(context, targets, output, message);
  }
  if (context.reports.has_errors()) state.SkipWithError(context.reports.all().front().message.c_str());
  state.SetItemsProcessed(state.iterations() * 16);
  state.SetLabel("pixel");
}

void unorm_block(benchmark::State& state) {
  const Surface surface = make_surface("R8G8B8A8_UNORM", 1);
  image::Sampler sampler = linear_sampler(image::MipFilter::None);
  sampler.tcx = sampler.tcy = image::AddressMode::Clamp;
  texture::UnormRequest request;
  request.surface = &surface;
  request.sampler = &sampler;
  request.du = request.dv = 1.0f / kSize;
  texture::OperationContext context;
  float u = 0.1f;
  for (auto _ : state) {
    request.u = request.v = u;
    u = u > 0.8f ? 0.1f : u + 0.013f;
    benchmark::DoNotOptimize(texture::sample_unorm(request, context));
  }
  if (context.reports.has_errors()) state.SkipWithError(context.reports.all().front().message.c_str());
  state.SetItemsProcessed(state.iterations() * texture::kUnormPixels);
  state.SetLabel("pixel");
}

void register_all() {
  const auto lanes = [](const char* name, Lanes what) {
    benchmark::RegisterBenchmark(name, [what](benchmark::State& state) { run_lanes(state, what); });
  };
  const Words u = Words::floats(-0.5f, 1.5f, 1), v = Words::floats(-0.5f, 1.5f, 2);
  const Words x = Words::integers(kSize, 5), y = Words::integers(kSize, 6);
  image::Sampler compare = linear_sampler(image::MipFilter::None);
  compare.compare = image::CompareFunction::Less;
  const image::Sampler bilinear = linear_sampler(image::MipFilter::None),
                       trilinear = linear_sampler(image::MipFilter::Linear);
  image::Sampler nearest = bilinear;
  nearest.min_filter = nearest.mag_filter = image::Filter::Nearest;
  const auto kRgba = "R8G8B8A8_UNORM";
  lanes("gather4, RGBA8", {Op::Gather4, kRgba, 1, bilinear, {{Param::U, u}, {Param::V, v}}});
  lanes("gather4, R32F", {Op::Gather4, "R32_FLOAT", 1, bilinear, {{Param::U, u}, {Param::V, v}}});
  lanes("gather4_c, R32F",
        {Op::Gather4C, "R32_FLOAT", 1, compare, {{Param::U, u}, {Param::V, v}, {Param::Ref, Words::same(0.5f)}}});
  lanes("gather4_po, RGBA8",
        {Op::Gather4Po,
         kRgba,
         1,
         bilinear,
         {{Param::U, u}, {Param::V, v}, {Param::OffU, Words::integers(8, 7)}, {Param::OffV, Words::integers(8, 8)}}});
  lanes("sample_lz nearest, RGBA8", {Op::SampleLz, kRgba, 1, nearest, {{Param::U, u}, {Param::V, v}}});
  lanes("sample_lz bilinear, RGBA8", {Op::SampleLz, kRgba, 1, bilinear, {{Param::U, u}, {Param::V, v}}});
  lanes("sample_lz bilinear, R32F", {Op::SampleLz, "R32_FLOAT", 1, bilinear, {{Param::U, u}, {Param::V, v}}});
  lanes("sample_l trilinear, RGBA8",
        {Op::SampleL, kRgba, 9, trilinear, {{Param::U, u}, {Param::V, v}, {Param::Lod, Words::floats(0, 6, 11)}}});
  lanes("sample, implicit LOD, trilinear, RGBA8", {Op::Sample, kRgba, 9, trilinear, {{Param::U, u}, {Param::V, v}}});
  lanes("sample_lz bilinear, BC1", {Op::SampleLz, "BC1_UNORM", 1, bilinear, {{Param::U, u}, {Param::V, v}}});
  lanes("ld, RGBA8", {Op::Ld, kRgba, 1, nearest, {{Param::U, x}, {Param::V, y}}});
  lanes("ld2dms_w, RGBA8, 4 samples",
        {Op::Ld2dmsW, kRgba, 1, nearest, {{Param::Si, Words::integers(4, 12)}, {Param::U, x}, {Param::V, y}}, 4});
  lanes("resinfo", {Op::Resinfo, kRgba, 9, nearest, {{Param::Lod, Words::integers(9, 13)}}});
  const auto add = [](const char* name, auto function) { benchmark::RegisterBenchmark(name, function); };
  add("sample_unorm, RGBA8", unorm_block);
  add("footprint query, bilinear",
      [](benchmark::State& s) { footprint_query(s, image::MipFilter::Nearest, 0, 1.0f / 1024); });
  add("footprint query, trilinear",
      [](benchmark::State& s) { footprint_query(s, image::MipFilter::Linear, 0, 1.5f / 1024); });
  add("footprint query, anisotropic 8",
      [](benchmark::State& s) { footprint_query(s, image::MipFilter::Linear, 8, 8.0f / 1024); });
  add("target write, RGBA8",
      [](benchmark::State& s) { target_pixels(s, "R8G8B8A8_UNORM", [](image::OutputState&) {}, false); });
  add("target write, RGBA8, blend", [](benchmark::State& s) {
    target_pixels(
        s, "R8G8B8A8_UNORM",
        [](image::OutputState& o) {
          o.blend[0].enable = true;
          o.blend[0].src_color = image::BlendFactor::SrcAlpha;
          o.blend[0].dst_color = image::BlendFactor::InvSrcAlpha;
        },
        false);
  });
  add("target write, RGBA8, depth test", [](benchmark::State& s) {
    target_pixels(
        s, "R8G8B8A8_UNORM",
        [](image::OutputState& o) {
          o.depth_test = o.depth_write = true;
          o.depth_func = image::CompareFunction::Always;
        },
        true);
  });
  add("target write, RGBA16F",
      [](benchmark::State& s) { target_pixels(s, "R16G16B16A16_FLOAT", [](image::OutputState&) {}, false); });
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  register_all();
  const auto rates = run_rates(parse_options(argc, argv, {"--benchmark_*"}), argv[0]);
  Section section("Reference texture unit");
  section.paragraph("SIMD16 requests on 256 x 256 texels, coordinates at random; medians of 3 runs, one thread.");
  add_rates(section, rates);
  return section.finish(parse_options(argc, argv, {"--benchmark_*"}).markdown) ? 0 : 1;
}
