// SPDX-License-Identifier: MIT
// Render-target read: what a target holds at the pixels of a message's slots.
#include <algorithm>

#include <fmt/format.h>

#include "render_target/reference/output_merger.hpp"
#include "render_target/render_target.hpp"

namespace heddle::render_target {

using image::Surface;
using image::SurfaceType;

LaneResult read_render_target(OperationContext& context, const Surface& surface, const RenderTargetRead& read) {
  LaneResult result;
  if (surface.type == SurfaceType::Null) return result;  // RET-7
  if (surface.is_buffer() || surface.rt_level >= surface.layout.size() || surface.rotation != 0) {
    context.refuse("RTW-13", "a render target read needs an image that is stored unrotated");
    return result;
  }
  const std::uint32_t level = surface.rt_level, width = surface.level_width(level),
                      height = surface.type == SurfaceType::Dim1 ? UINT32_MAX : surface.level_height(level);
  const std::uint32_t layer = target_slice(surface, read.header.array_index) * surface.cells();
  result.value_class = surface.info().value_class;
  for (std::uint32_t slot = 0; slot < std::min(read.simd, 16u); ++slot) {
    if ((read.active >> slot & 1u) == 0) continue;
    std::uint32_t subspan = slot >> 2, sample = 0;  // a read by pixels takes sample 0, as SUR-10
    if (read.per_sample && surface.samples > 1) {   // RTW-6
      const std::uint32_t k = slot >> 2;
      sample = 2 * (read.header.sspi & 7u) + k;
      subspan = 0;
      if (read.simd == 16 && surface.samples == 2) subspan = slot >> 3, sample = k & 1;
      if (read.simd == 16 && surface.samples == 4) sample = k;
    }
    const std::uint32_t x = (read.header.x[subspan] & 0xffffu) + (slot & 1u),
                        y = (read.header.y[subspan] & 0xffffu) + (slot >> 1 & 1u);  // RTW-5
    if (x >= width || y >= height || sample >= surface.samples) continue;           // reads 0
    const std::uint32_t at_y = surface.type == SurfaceType::Dim1 ? 0 : y, slice = layer * surface.samples + sample;
    const image::Fetched fetched = image::fetch(surface, level, slice, x, at_y);
    for (unsigned c = 0; c < 4; ++c) result.channels[c][slot] = fetched.texel.bits[c];
    if (context.observer != nullptr) context.observer->texel({&surface, level, slice, x, at_y, slot, true, false});
  }
  return result;
}

}  // namespace heddle::render_target
