// SPDX-License-Identifier: MIT
#include "heddle/texture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "library/image/operation_call.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle {
namespace {

using library::word;
using texture::LaneRequest;
using texture::LaneResult;
using texture::LaneWords;
using texture::Op;
using texture::OperationContext;
using texture::Param;

constexpr unsigned kLanes = 16;

/// One operation with one active lane.
class OneLane {
 public:
  OneLane(const Image& image, const Sampler* sampler, const OperationOptions& options) : options_(options) {
    request.surface = &library::surface_of(image);
    request.active = 1;
    if (sampler != nullptr) {
      sampler_ = sampler;
      state_ = library::sampler_for(*sampler, *request.surface);
      request.sampler = &state_;
    }
    for (std::size_t i = 0; i < 3; ++i) request.offset[i] = options.offset[i];
    if (options.reference) set(Param::Ref, word(*options.reference));
  }
  OneLane(const OneLane&) = delete;
  OneLane& operator=(const OneLane&) = delete;

  void set(Param param, std::uint32_t value) {
    LaneWords& lanes = words_[static_cast<std::size_t>(param)];
    lanes.fill(value);
    request.set(param, lanes);
  }
  /// CRD-5: which parameter the array index is.
  void set_point(const Point& at) {
    const image::SurfaceType type = request.surface->type;
    set(Param::U, word(at.u));
    set(Param::V, word(type == image::SurfaceType::Dim1 ? at.index : at.v));
    set(Param::R, word(type == image::SurfaceType::Dim2 ? at.index : at.r));
    set(Param::Ai, word(at.index));
  }
  void set_gradients(const Gradients& g) {
    constexpr std::array<std::array<Param, 2>, 3> kParams{
        {{Param::DuDx, Param::DuDy}, {Param::DvDx, Param::DvDy}, {Param::DrDx, Param::DrDy}}};
    for (std::size_t i = 0; i < 3; ++i) {
      set(kParams[i][0], word(g.dx[i]));
      set(kParams[i][1], word(g.dy[i]));
    }
  }
  Result<Color> run(Op op) {
    request.op = op;
    library::OperationCall call(options_);
    if (sampler_ != nullptr) library::check_comparison(call.context.reports, texture::operation(op), *sampler_);
    const LaneResult result = texture::execute(request, call.context);
    if (auto done = call.finish(); !done.ok()) return done.diagnostics();
    Color color;
    color.number_class = static_cast<NumberClass>(result.value_class);
    for (std::size_t c = 0; c < 4; ++c) color.words[c] = result.channels[c][0];
    return color;
  }

  LaneRequest request;

 private:
  const OperationOptions& options_;
  const Sampler* sampler_ = nullptr;
  image::Sampler state_;
  std::array<LaneWords, texture::kParamCount> words_{};
};

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
  // A quad whose coordinates have these derivatives.
  LaneWords u{}, v{}, r{};
  const std::array<LaneWords*, 3> words{&u, &v, &r};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      (*words[i])[k] = word((k & 1 ? gradients.dx[i] : 0.0f) + (k & 2 ? gradients.dy[i] : 0.0f));
  lane.request.set(Param::U, u);
  lane.request.set(Param::V, v);
  lane.request.set(Param::R, r);
  const auto answer = lane.run(Op::Lod);
  if (!answer.ok()) return answer.diagnostics();
  return LevelOfDetail{.clamped = (*answer)[0], .unclamped = (*answer)[1]};
}

}  // namespace heddle
