// SPDX-License-Identifier: MIT
// Blits and resolves, texel by texel: TRF-6 to TRF-16.

#include <algorithm>
#include <cstring>

#include "base/half.hpp"
#include "pipeline/transfer/blit_plan.hpp"
#include "pipeline/transfer/resolve_plan.hpp"

namespace heddle::pipeline::transfer::reference {
namespace {

using image::Texel;

Texel mix(const Texel& a, const Texel& b, float weight) {
  Texel result;
  for (int c = 0; c < 4; ++c) result.set(c, interpolate(a.f(c), b.f(c), weight));
  return result;
}

/// TRF-9, in the order of FLT-3.
Texel sample(const BlitPlan& plan, const AxisTap& x, const AxisTap& y, const AxisTap& z) {
  const auto texel = [&](std::uint32_t slice, std::uint32_t row, std::uint32_t column) {
    return image::fetch(*plan.from.surface, plan.from.level, slice, column, row).texel;
  };
  const auto row = [&](std::uint32_t slice, std::uint32_t at) {
    return plan.linear ? mix(texel(slice, at, x.first), texel(slice, at, x.second), x.weight)
                       : texel(slice, at, x.first);
  };
  const auto slice = [&](std::uint32_t at) {
    return plan.linear ? mix(row(at, y.first), row(at, y.second), y.weight) : row(at, y.first);
  };
  return plan.linear ? mix(slice(z.first), slice(z.second), z.weight) : slice(z.first);
}

void blit_texel(const BlitPlan& plan, std::uint32_t k, std::uint32_t j, std::uint32_t i) {
  const AxisTap x = plan.x.tap(plan.x.first() + i, plan.linear), y = plan.y.tap(plan.y.first() + j, plan.linear),
                z = slice_tap(plan, k);
  const image::FormatInfo& format = *plan.to.format;
  std::uint8_t* to = element_of(plan.to, k, i, j);
  if (to == nullptr) return;  // RTW-21
  if (!plan.copies_elements) return image::encode_texel(format, sample(plan, x, y, z), to);
  const std::uint8_t* from = image::element_bytes(*plan.from.surface, plan.from.level, z.first, x.first, y.first);
  if (from != nullptr)
    std::memcpy(to, from, format.bytes_per_element());
  else
    std::memset(to, 0, format.bytes_per_element());  // SUR-6
}

/// TRF-14 to TRF-16 of one pixel.
Texel resolved(const ResolvePlan& plan, std::uint32_t first_sample, std::uint32_t x, std::uint32_t y) {
  const image::Surface& from = *plan.from.surface;
  Texel result = image::fetch(from, plan.from.level, first_sample, x, y).texel;
  for (std::uint32_t s = 1; s < from.samples; ++s) {
    const Texel sample = image::fetch(from, plan.from.level, first_sample + s, x, y).texel;
    for (unsigned c = 0; c < 4; ++c) result.bits[c] = combine(plan, result.bits[c], sample.bits[c]);
  }
  if (plan.mode != ResolveMode::Average || from.samples == 1) return result;
  for (int c = 0; c < 4; ++c) result.set(c, base::canonical(result.f(c) / static_cast<float>(from.samples)));
  return result;
}

}  // namespace

base::Result<base::Done> blit(const image::Surface& from, const BlitBox& source, image::Surface& to,
                              const BlitBox& destination, image::Filter filter) {
  const auto plan = blit_plan(from, source, to, destination, filter);
  if (!plan.ok()) return plan.failure();
  for (std::uint32_t k = 0; k < plan->to.slices; ++k)
    for (std::uint32_t j = 0; j < plan->to.rows; ++j)
      for (std::uint32_t i = 0; i < plan->to.columns; ++i) blit_texel(*plan, k, j, i);
  return base::Done{};
}

base::Result<base::Done> resolve(const image::Surface& from, const ImageBox& box, image::Surface& to,
                                 const ImageOrigin& at, ResolveMode mode) {
  const auto plan = resolve_plan(from, box, to, at, mode);
  if (!plan.ok()) return plan.failure();
  const Region& target = plan->to;
  for (std::uint32_t layer = 0; layer < target.slices; ++layer)
    for (std::uint32_t row = 0; row < target.rows; ++row)
      for (std::uint32_t column = 0; column < target.columns; ++column) {
        const std::uint32_t first = layer * from.samples;
        std::uint8_t* element = element_of(target, layer, column, row);
        if (element == nullptr) continue;  // RTW-21
        if (mode != ResolveMode::SampleZero) {
          image::encode_texel(*target.format,
                              resolved(*plan, plan->from.first_slice + first, plan->from.first_column + column,
                                       plan->from.first_row + row),
                              element);
        } else if (const std::uint8_t* sample = element_of(plan->from, first, column, row)) {
          std::memcpy(element, sample, target.format->bytes_per_element());
        } else {
          std::memset(element, 0, target.format->bytes_per_element());  // SUR-6
        }
      }
  return base::Done{};
}

}  // namespace heddle::pipeline::transfer::reference
