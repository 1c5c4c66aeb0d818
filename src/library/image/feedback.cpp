// SPDX-License-Identifier: MIT
// Rules: FP-28 to FP-30, FP-34.
#include "heddle/feedback.hpp"

#include <fmt/format.h>

#include "library/image/impl.hpp"
#include "texture/feedback.hpp"

namespace heddle {

struct Feedback::Impl {
  Image image;
  FeedbackOptions options;
  base::Limits limits;
  texture::FootprintView view;
  std::vector<texture::FeedbackTouch> touches;
  std::vector<std::array<float, 2>> places;  ///< of each sample
};

namespace {

using texture::FeedbackMap;

base::Result<FeedbackMap> make_map(const Feedback::Impl& impl, const FeedbackMap::Options& options) {
  return FeedbackMap::create(impl.view, impl.options.region[0], impl.options.region[1], options, impl.limits);
}

FeedbackMap::Form form_of(FeedbackForm form) {
  return form == FeedbackForm::Point ? FeedbackMap::Form::Point : FeedbackMap::Form::Spread;
}

FeedbackGrid grid_of(const FeedbackMap& map, std::uint32_t level, std::span<const std::uint8_t> cells) {
  return {map.columns(level), map.rows(level), {cells.begin(), cells.end()}};
}

FeedbackMaps filled(const Feedback::Impl& impl, const FeedbackMap::Options& options, bool weighted) {
  auto map = make_map(impl, options);
  FeedbackMaps maps;
  if (!map.ok()) return maps;  // `create` made one of these sizes
  const auto place = [&](std::uint64_t sample) { return impl.places[sample]; };
  texture::fill_feedback(*map, options.form, impl.touches, place, weighted);
  maps.min_mip = grid_of(*map, 0, map->min_mip());
  for (std::uint32_t level = 0; level < impl.view.levels; ++level)
    maps.used.push_back(grid_of(*map, level, map->mip_region_used(level)));
  return maps;
}

}  // namespace

Result<Feedback> Feedback::create(const Image& image, const FeedbackOptions& options, const Limits& limits) {
  if (image.empty()) return library::empty_image();
  if (image.type() != ImageType::Dim2) return library::wrong_argument("feedback maps exist for images of type 2D");
  Impl impl{image, options, library::to_base(limits), texture::footprint_view(library::surface_of(image)), {}, {}};
  const auto map = make_map(impl, {form_of(options.form), options.merge_tail});
  if (!map.ok()) return library::to_public(map.diagnostics());
  return Feedback(std::make_shared<Impl>(std::move(impl)));
}

Result<Done> Feedback::sample(const Sampler& sampler, const Point& at, const SampleOptions& options) {
  const image::Surface& surface = library::surface_of(impl_->image);
  std::vector<TexelRead> reads;
  SampleOptions own = options;
  own.reads = &reads;
  const auto color = heddle::sample(impl_->image, sampler, at, own);
  if (!color.ok()) return color.diagnostics();
  if (options.reads != nullptr) options.reads->insert(options.reads->end(), reads.begin(), reads.end());
  if ((impl_->touches.size() + reads.size()) * sizeof(texture::FeedbackTouch) > impl_->limits.memory_bytes)
    return library::to_public(base::limit_error(
        "limit-memory", fmt::format("more texels were read than fit in {} bytes: take the maps and begin anew",
                                    impl_->limits.memory_bytes)));
  const std::uint64_t number = impl_->places.size();
  for (const TexelRead& r : reads)
    if (r.place.slice == impl_->options.layer && r.place.level >= surface.surf_min_lod)  // FP-30
      impl_->touches.push_back({r.place.level - surface.surf_min_lod, r.place.x, r.place.y, number, r.weighted});
  const image::Sampler state = library::sampler_for(sampler, surface);
  impl_->places.push_back({texture::wrapped_coordinate(at.u, state.tcx), texture::wrapped_coordinate(at.v, state.tcy)});
  return Done{};
}

FeedbackMaps Feedback::maps() const {
  return filled(*impl_, {form_of(impl_->options.form), impl_->options.merge_tail}, false);
}
FeedbackMaps Feedback::least() const { return filled(*impl_, {FeedbackMap::Form::Point, false}, true); }
FeedbackMaps Feedback::greatest() const { return filled(*impl_, {FeedbackMap::Form::Spread, true}, false); }

}  // namespace heddle
