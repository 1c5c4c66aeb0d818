// SPDX-License-Identifier: MIT
#include "render_target/touch/touch_pixels.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "texture/touches.hpp"

namespace heddle::render_target {

void count_touches(const simd::PreparedWrite& prepared, const simd::Inputs& inputs, std::uint32_t slots) {
  texture::TouchSink* const sink = texture::touch_sink();
  const image::Surface& surface = *prepared.targets.color[prepared.message.target];
  const simd::Plane& plane = prepared.dynamic_state.color;
  const texture::TouchCounts counts = sink == nullptr ? texture::TouchCounts() : sink->writes(surface);
  const simd::StaticState& f = prepared.static_state;
  const bool stores = std::ranges::any_of(f.stored, [&](const auto& s) { return s.used && f.written[s.component]; });
  if (counts.texels == nullptr || f.color == 0 || !stores) return;
  const std::uint64_t layer = plane.first_layer + (inputs.array_index > plane.last_index ? 0 : inputs.array_index);
  const std::uint64_t from =
      static_cast<std::uint64_t>(plane.memory - surface.memory->data()) - counts.base + layer * plane.layer_pitch;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t place = inputs.places[slot / 4];  // RTW-5
    const std::uint64_t x = (place & 0xffffu) + (slot & 1u), y = (place >> 16) + (slot >> 1 & 1u);
    for (std::uint32_t left = inputs.survivors[slot]; left != 0; left &= left - 1) {
      const auto sample = static_cast<std::uint64_t>(std::countr_zero(left));
      ++counts.texels[((from + sample * plane.sample_pitch + y * plane.row_pitch) >> counts.shift) + x];
    }
  }
}

void write_unheard(const simd::DynamicState* dynamic_state, const simd::Inputs* inputs, std::uint32_t width,
                   std::uint32_t mask, void* thread) {
  auto* const context = static_cast<OperationContext*>(thread);
  texture::TexelObserver* const observer = std::exchange(context->observer, nullptr);
  simd::write_reference(dynamic_state, inputs, width, mask, thread);
  context->observer = observer;
}

}  // namespace heddle::render_target
