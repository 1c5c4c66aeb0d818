// SPDX-License-Identifier: MIT
#pragma once
// One operation of the texture unit with one active lane: what the calls at single points come down to.

#include <array>

#include "library/image/operation_call.hpp"

namespace heddle::library {

/// One operation with one active lane.
class OneLane {
 public:
  OneLane(const Image& image, const Sampler* sampler, const OperationOptions& options) : options_(options) {
    request.surface = &surface_of(image);
    request.active = 1;
    if (sampler != nullptr) {
      sampler_ = sampler;
      state_ = sampler_for(*sampler, *request.surface);
      request.sampler = &state_;
    }
    for (std::size_t i = 0; i < 3; ++i) request.offset[i] = options.offset[i];
    if (options.reference) set(texture::Param::Ref, word(*options.reference));
  }
  OneLane(const OneLane&) = delete;
  OneLane& operator=(const OneLane&) = delete;

  void set(texture::Param param, std::uint32_t value) {
    texture::LaneWords& lanes = words_[static_cast<std::size_t>(param)];
    lanes.fill(value);
    request.set(param, lanes);
  }
  /// CRD-5: which parameter the array index is.
  void set_point(const Point& at) {
    const image::SurfaceType type = request.surface->type;
    set(texture::Param::U, word(at.u));
    set(texture::Param::V, word(type == image::SurfaceType::Dim1 ? at.index : at.v));
    set(texture::Param::R, word(type == image::SurfaceType::Dim2 ? at.index : at.r));
    set(texture::Param::Ai, word(at.index));
  }
  void set_gradients(const Gradients& g) {
    constexpr std::array<std::array<texture::Param, 2>, 3> kParams{{{texture::Param::DuDx, texture::Param::DuDy},
                                                                    {texture::Param::DvDx, texture::Param::DvDy},
                                                                    {texture::Param::DrDx, texture::Param::DrDy}}};
    for (std::size_t i = 0; i < 3; ++i) {
      set(kParams[i][0], word(g.dx[i]));
      set(kParams[i][1], word(g.dy[i]));
    }
  }
  /// A quad whose coordinates have these derivatives.
  void set_quad(const Gradients& g) {
    constexpr std::array kParams{texture::Param::U, texture::Param::V, texture::Param::R};
    for (std::size_t i = 0; i < 3; ++i) {
      texture::LaneWords& lanes = words_[static_cast<std::size_t>(kParams[i])];
      for (std::size_t k = 0; k < 4; ++k) lanes[k] = word((k & 1 ? g.dx[i] : 0.0f) + (k & 2 ? g.dy[i] : 0.0f));
      request.set(kParams[i], lanes);
    }
  }
  /// What the rules only warn of beside the operation's own reports.
  void check(OperationCall& call, texture::Op op) const {
    if (sampler_ != nullptr) check_comparison(call.context.reports, texture::operation(op), *sampler_);
  }
  Result<Color> run(texture::Op op) {
    request.op = op;
    OperationCall call(options_);
    check(call, op);
    const texture::LaneResult result = texture::execute(request, call.context);
    if (auto done = call.finish(); !done.ok()) return done.diagnostics();
    Color color;
    color.number_class = static_cast<NumberClass>(result.value_class);
    for (std::size_t c = 0; c < 4; ++c) color.words[c] = result.channels[c][0];
    return color;
  }

  texture::LaneRequest request;

 private:
  const OperationOptions& options_;
  const Sampler* sampler_ = nullptr;
  image::Sampler state_;
  std::array<texture::LaneWords, texture::kParamCount> words_{};
};

}  // namespace heddle::library
