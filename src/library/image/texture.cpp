// SPDX-License-Identifier: MIT
#include "heddle/texture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "library/image/one_lane.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle {
namespace {

using library::OneLane;
using library::word;
using texture::LaneRequest;
using texture::LaneResult;
using texture::LaneWords;
using texture::Op;
using texture::OperationContext;
using texture::Param;

constexpr unsigned kLanes = 16;

}  // namespace

Result<Color> gather(const Image& image, const Sampler& sampler, const Point& at, const GatherOptions& options) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  if (options.channel > 3)
    return library::wrong_argument(fmt::format("channel {} does not exist; 0 to 3 are R, G, B, A", options.channel));
  OneLane lane(image, &sampler, options);
  lane.request.source_channel = static_cast<std::uint8_t>(options.channel);
  lane.set_point(at);
  if (options.lod) lane.set(Param::Lod, word(*options.lod));
  if (options.lod) return lane.run(options.reference ? Op::Gather4LC : Op::Gather4L);
  return lane.run(options.reference ? Op::Gather4C : Op::Gather4);
}

Result<Color> sample(const Image& image, const Sampler& sampler, const Point& at, const SampleOptions& options) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  OneLane lane(image, &sampler, options);
  lane.set_point(at);
  if (options.gradients) {
    lane.set_gradients(*options.gradients);
    return lane.run(options.reference ? Op::SampleDC : Op::SampleD);
  }
  lane.set(Param::Lod, word(options.lod));
  return lane.run(options.reference ? Op::SampleLC : Op::SampleL);
}

Result<Done> sample(const Image& image, const Sampler& sampler, std::span<const Point> points, std::span<Color> colors,
                    float lod) {
  if (image.empty()) return library::empty_image();
  if (points.size() != colors.size())
    return library::wrong_argument(
        fmt::format("{} points are given, and room for {} colors", points.size(), colors.size()));
  const image::Surface& surface = library::surface_of(image);
  const image::Sampler state = library::sampler_for(sampler, surface);
  LaneWords u{}, v{}, r{}, index{}, lods{};
  lods.fill(word(lod));
  LaneRequest request;
  request.op = Op::SampleL;
  request.simd = kLanes;
  request.surface = &surface;
  request.sampler = &state;
  request.set(Param::U, u);
  request.set(Param::V, surface.type == image::SurfaceType::Dim1 ? index : v);
  request.set(Param::R, surface.type == image::SurfaceType::Dim2 ? index : r);
  request.set(Param::Ai, index);
  request.set(Param::Lod, lods);
  OperationContext context;
  const auto prepared = texture::simd::prepare(request, context);
  if (context.reports.has_errors()) return library::to_public(context.reports);
  for (std::size_t first = 0; first < points.size(); first += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, points.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      const Point& p = points[first + k];
      u[k] = word(p.u), v[k] = word(p.v), r[k] = word(p.r), index[k] = word(p.index);
    }
    request.active = (1u << count) - 1;
    const LaneResult result = texture::simd::run(*prepared, request, context);
    for (std::size_t k = 0; k < count; ++k) {
      colors[first + k].number_class = static_cast<NumberClass>(result.value_class);
      for (std::size_t c = 0; c < 4; ++c) colors[first + k].words[c] = result.channels[c][k];
    }
  }
  if (context.reports.has_errors()) return library::to_public(context.reports);
  return Done{};
}

Result<Color> load(const Image& image, const TexelPlace& at, const OperationOptions& options) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  OneLane lane(image, nullptr, options);
  lane.set(Param::U, at.x);
  lane.set(Param::V, image.type() == ImageType::Dim1 ? at.slice : at.y);
  lane.set(Param::R, at.slice);
  lane.set(Param::Lod, at.level);
  return lane.run(Op::Ld);
}

Result<ImageSize> query_size(const Image& image, std::uint32_t lod, const OperationOptions& options) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  OneLane lane(image, nullptr, options);
  lane.set(Param::Lod, lod);
  const auto answer = lane.run(Op::Resinfo);
  if (!answer.ok()) return answer.diagnostics();
  const auto& words = answer->words;  // RES-1
  ImageSize size{.width = words[0], .height = words[1], .depth = 0, .layers = 0, .levels = words[3]};
  switch (image.type()) {
    case ImageType::Dim1:
      size.layers = words[1];
      size.height = words[0] != 0 ? 1 : 0;
      break;
    case ImageType::Dim3:
      size.depth = words[2];
      break;
    case ImageType::Dim2:
    case ImageType::Cube:
    case ImageType::Buffer:
      size.layers = words[2];
      break;
  }
  return size;
}

Result<SampleInfo> query_samples(const Image& image, const OperationOptions& options) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  OneLane lane(image, nullptr, options);
  const auto answer = lane.run(Op::Sampleinfo);
  if (!answer.ok()) return answer.diagnostics();
  return SampleInfo{.samples = answer->words[0], .palette = answer->words[3]};  // SIN-1
}

Result<LevelOfDetail> query_lod(const Image& image, const Sampler& sampler, const Gradients& gradients) {
  const OperationOptions options;
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  OneLane lane(image, &sampler, options);
  lane.set_quad(gradients);
  const auto answer = lane.run(Op::Lod);
  if (!answer.ok()) return answer.diagnostics();
  return LevelOfDetail{.clamped = (*answer)[0], .unclamped = (*answer)[1]};
}

}  // namespace heddle
