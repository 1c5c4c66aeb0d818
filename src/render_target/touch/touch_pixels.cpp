// SPDX-License-Identifier: MIT
#include "render_target/touch/touch_pixels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "texture/touches.hpp"

namespace heddle::render_target {

namespace {

/// Of samples, one by one.
void count_samples(std::uint32_t* to, std::uint64_t pitch, std::uint32_t survivors) {
  for (std::uint32_t left = survivors; left != 0; left &= left - 1)
    ++to[static_cast<std::uint64_t>(std::countr_zero(left)) * pitch];
}

void add_to_two(std::uint32_t* counters) {
  using Two = std::uint32_t __attribute__((vector_size(8)));
  Two two;
  std::memcpy(&two, counters, sizeof two);
  two += 1u;
  std::memcpy(counters, &two, sizeof two);
}

}  // namespace

texture::simd::TouchTarget open_counters(const simd::PreparedWrite& prepared) {
  texture::TouchSink* const sink = texture::touch_sink();
  const simd::StaticState& f = prepared.static_state;
  const bool stores = std::ranges::any_of(f.stored, [&](const auto& s) { return s.used && f.written[s.component]; });
  if (sink == nullptr || f.color == 0 || !stores) return {};
  const texture::TouchCounts counts = sink->writes(*prepared.targets.color[prepared.message.target]);
  return {counts.texels, counts.squares, counts.lanes, counts.base, counts.shift};
}

void count_touches(const simd::PreparedWrite& prepared, const simd::Inputs& inputs, std::uint32_t slots,
                   const texture::simd::TouchTarget& to) {
  const image::Surface& surface = *prepared.targets.color[prepared.message.target];
  const simd::Plane& plane = prepared.dynamic_state.color;
  const std::uint64_t layer = plane.first_layer + (inputs.array_index > plane.last_index ? 0 : inputs.array_index);
  std::uint32_t* const texels =
      to.texels +
      ((static_cast<std::uint64_t>(plane.memory - surface.memory->data()) - to.base + layer * plane.layer_pitch) >>
       to.shift);
  const std::uint64_t row = plane.row_pitch >> to.shift, pitch = plane.sample_pitch >> to.shift;
  const bool one = prepared.static_state.samples == 1;
  for (std::uint32_t slot = 0; slot < slots; slot += 4) {  // RTW-5
    const std::uint32_t place = inputs.places[slot / 4];
    const std::uint32_t* const survivors = inputs.survivors + slot;
    std::uint32_t *const upper = texels + std::uint64_t{place >> 16} * row + (place & 0xffffu), *const lower =
                                                                                                    upper + row;
    if (!one) {
      count_samples(upper, pitch, survivors[0]);
      count_samples(upper + 1, pitch, survivors[1]);
      count_samples(lower, pitch, survivors[2]);
      count_samples(lower + 1, pitch, survivors[3]);
      continue;
    }
    if (survivors[0] != 0 && survivors[1] != 0 && survivors[2] != 0 && survivors[3] != 0) {
      add_to_two(upper);
      add_to_two(lower);
      continue;
    }
    // Pixels outside the target have no survivors, and counters that may not be there.
    if (survivors[0] != 0) ++upper[0];
    if (survivors[1] != 0) ++upper[1];
    if (survivors[2] != 0) ++lower[0];
    if (survivors[3] != 0) ++lower[1];
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
