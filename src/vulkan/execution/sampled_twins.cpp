// SPDX-License-Identifier: MIT
#include "vulkan/execution/sampled_twins.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "image/sample_layers.hpp"
#include "pipeline/transfer/transfer.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

/// What the attachment holds, in each sample.
void spread(const image::Surface& from, image::Surface& to, unsigned workers) {
  const std::shared_ptr<image::Surface> samples = image::samples_as_layers(to);
  const transfer::Extent extent{to.width, to.height, 1};
  for (std::uint32_t layer = 0; layer < to.layers; ++layer)
    for (std::uint32_t sample = 0; sample < to.samples; ++sample)
      (void)transfer::copy_image(from, {from.rt_level, from.min_array_element + layer, 1, {}, extent}, *samples,
                                 {0, layer * to.samples + sample, {}}, {workers});
}

machine::SurfaceResource make_twin(const machine::SurfaceResource& of, std::uint32_t samples, unsigned workers) {
  if (!of) return nullptr;
  auto s = std::make_shared<image::Surface>();
  s->type = image::SurfaceType::Dim2;
  s->format = of->format;
  s->width = of->level_width(of->rt_level);
  s->height = of->level_height(of->rt_level);
  s->layers = s->view_layers = of->view_layers;
  s->array = of->view_layers > 1;
  s->rt_extent = of->view_layers - 1;
  s->samples = samples;
  if (!image::lay_out(*s).ok()) throw std::bad_alloc();
  s->memory = std::make_shared<image::Memory>(static_cast<std::size_t>(s->bytes + 64));  // texels load as vectors
  spread(*of, *s, workers);
  return s;
}

}  // namespace

ImageView* SampledTwins::twin_of(ImageView& view, std::uint32_t samples, unsigned workers) {
  const ImageView::Attachment& a = view.attachment;
  const auto one = [](const machine::SurfaceResource& s) { return !s || s->samples == 1; };
  if (!one(a.color) || !one(a.depth) || !one(a.stencil)) return &view;
  const auto found = std::ranges::find_if(twins_, [&](const Twin& t) { return t.of == &view && t.samples == samples; });
  if (found != twins_.end()) return found->view.get();
  auto twin = std::make_unique<ImageView>();
  twin->attachment = {make_twin(a.color, samples, workers), make_twin(a.depth, samples, workers),
                      make_twin(a.stencil, samples, workers)};
  twin->format = view.format;
  twin->width = view.width;
  twin->height = view.height;
  twin->layers = view.layers;
  return twins_.emplace_back(Twin{&view, samples, std::move(twin)}).view.get();
}

}  // namespace heddle::vulkan
