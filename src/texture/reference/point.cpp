// SPDX-License-Identifier: MIT
#include "texture/point.hpp"

#include "texture/request.hpp"

namespace heddle::texture {
namespace {

std::uint32_t word(float x) { return __builtin_bit_cast(std::uint32_t, x); }

struct OneLane {
  explicit OneLane(Op op, const image::Surface& surface, const image::Sampler* sampler) {
    request.op = op;
    request.active = 1;
    request.surface = &surface;
    request.sampler = sampler;
  }
  void set(Param param, std::uint32_t value) {
    LaneWords& lanes = words[static_cast<std::size_t>(param)];
    lanes.fill(value);
    request.set(param, lanes);
  }
  std::array<float, 4> run(OperationContext* context) {
    OperationContext own;
    const LaneResult result = execute(request, context != nullptr ? *context : own);
    std::array<float, 4> values{};
    for (std::size_t c = 0; c < 4; ++c) values[c] = __builtin_bit_cast(float, result.channels[c][0]);
    return values;
  }
  LaneRequest request;
  std::array<LaneWords, kParamCount> words;
};

/// CRD-5: which parameter the array index is.
void set_coordinates(OneLane& lane, const image::Surface& surface, const Point& at) {
  const bool flat = surface.type == image::SurfaceType::Dim1, two = surface.type == image::SurfaceType::Dim2;
  lane.set(Param::U, word(at.u));
  lane.set(Param::V, word(flat ? at.index : at.v));
  lane.set(Param::R, word(two ? at.index : at.r));
  lane.set(Param::Ai, word(at.index));
}

}  // namespace

std::array<float, 4> gather4_at(const image::Surface& surface, const image::Sampler& sampler, const Point& at,
                                unsigned channel, OperationContext* context) {
  OneLane lane(Op::Gather4, surface, &sampler);
  lane.request.source_channel = static_cast<std::uint8_t>(channel & 3u);
  set_coordinates(lane, surface, at);
  return lane.run(context);
}

std::array<float, 4> sample_at(const image::Surface& surface, const image::Sampler& sampler, const Point& at, float lod,
                               OperationContext* context) {
  OneLane lane(Op::SampleL, surface, &sampler);
  set_coordinates(lane, surface, at);
  lane.set(Param::Lod, word(lod));
  return lane.run(context);
}

std::array<float, 4> load_at(const image::Surface& surface, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                             std::uint32_t lod, OperationContext* context) {
  OneLane lane(Op::Ld, surface, nullptr);
  lane.set(Param::U, x);
  lane.set(Param::V, y);
  lane.set(Param::R, z);
  lane.set(Param::Lod, lod);
  return lane.run(context);
}

}  // namespace heddle::texture
