// SPDX-License-Identifier: MIT
// Rules: BND-1, BND-2, BND-16.
#include "heddle/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "library/image/one_lane.hpp"
#include "texture/bounds/bounds.hpp"

namespace heddle {

struct ColorBounds::Impl {
  texture::bounds::LaneBounds lane;
  image::ValueClass value_class = image::ValueClass::Float;
};

namespace {

using library::OneLane;
using library::word;
using texture::Op;
using texture::Param;

std::vector<BoundTexel> to_public(const std::vector<texture::bounds::SourceTexel>& texels) {
  std::vector<BoundTexel> list;
  for (const auto& t : texels)
    list.push_back({{.x = t.x, .y = t.y, .slice = t.slice, .level = t.level}, t.border, t.weight});
  return list;
}

std::optional<Diagnostic> problem(const BoundsOptions& bounds) {
  for (const unsigned bits : {bounds.sub_texel_bits, bounds.mipmap_bits})
    if (bits > 16)
      return library::wrong_argument(fmt::format("{} bits of precision: 1 to 16 are possible, or 0", bits));
  return std::nullopt;
}

Result<ColorBounds> find(OneLane& lane, Op op, const OperationOptions& options, const BoundsOptions& wanted) {
  static_assert(static_cast<texture::bounds::Api>(BoundsApi::WebGpu) == texture::bounds::Api::WebGpu);
  lane.request.op = op;
  library::OperationCall call(options);
  lane.check(call, op);
  const auto found = texture::bounds::find_bounds(
      lane.request, {static_cast<texture::bounds::Api>(wanted.api), wanted.sub_texel_bits, wanted.mipmap_bits, true},
      call.context);
  if (auto done = call.finish(); !done.ok()) return done.diagnostics();
  return ColorBounds(std::make_shared<const ColorBounds::Impl>(ColorBounds::Impl{found->lanes[0], found->value_class}));
}

}  // namespace

ColorBounds::ColorBounds(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {
  class_ = static_cast<NumberClass>(impl_->value_class);
  rule_ = impl_->lane.rule;
  for (std::size_t c = 0; c < 4; ++c) {
    const texture::bounds::ValueSet& set = impl_->lane.channels[c];
    channels_[c].anything = set.open();
    for (const texture::bounds::Part& part : set.parts())
      channels_[c].intervals.push_back(
          {part.full.low, part.full.high, to_public(part.low_texels), to_public(part.high_texels)});
  }
}

BoundsVerdict ColorBounds::judge(unsigned channel, std::uint32_t word) const {
  static_assert(static_cast<texture::bounds::Verdict>(BoundsVerdict::Outside) == texture::bounds::Verdict::Outside);
  return static_cast<BoundsVerdict>(
      texture::bounds::judge(impl_->lane.channels[channel & 3u], word, impl_->value_class));
}

BoundsVerdict ColorBounds::judge(const Color& answer) const {
  BoundsVerdict worst = BoundsVerdict::Inside;
  for (unsigned c = 0; c < 4; ++c) worst = std::max(worst, judge(c, answer.words[c]));
  return worst;
}

Result<ColorBounds> sample_bounds(const Image& image, const Sampler& sampler, const Point& at,
                                  const SampleOptions& options, const BoundsOptions& bounds) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  if (auto wrong = problem(bounds)) return *wrong;
  OneLane lane(image, &sampler, options);
  lane.set_point(at);
  if (options.gradients) {
    lane.set_gradients(*options.gradients);
    return find(lane, options.reference ? Op::SampleDC : Op::SampleD, options, bounds);
  }
  lane.set(Param::Lod, word(options.lod));
  return find(lane, options.reference ? Op::SampleLC : Op::SampleL, options, bounds);
}

Result<ColorBounds> gather_bounds(const Image& image, const Sampler& sampler, const Point& at,
                                  const GatherOptions& options, const BoundsOptions& bounds) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  if (auto wrong = problem(bounds)) return *wrong;
  if (options.channel > 3)
    return library::wrong_argument(fmt::format("channel {} does not exist; 0 to 3 are R, G, B, A", options.channel));
  OneLane lane(image, &sampler, options);
  lane.request.source_channel = static_cast<std::uint8_t>(options.channel);
  lane.set_point(at);
  if (options.lod) lane.set(Param::Lod, word(*options.lod));
  if (options.lod) return find(lane, options.reference ? Op::Gather4LC : Op::Gather4L, options, bounds);
  return find(lane, options.reference ? Op::Gather4C : Op::Gather4, options, bounds);
}

Result<ColorBounds> lod_bounds(const Image& image, const Sampler& sampler, const Gradients& gradients,
                               const BoundsOptions& bounds) {
  const OperationOptions options;
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  if (auto wrong = problem(bounds)) return *wrong;
  OneLane lane(image, &sampler, options);
  lane.set_quad(gradients);
  return find(lane, Op::Lod, options, bounds);
}

}  // namespace heddle
