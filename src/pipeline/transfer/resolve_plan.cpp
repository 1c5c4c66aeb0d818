// SPDX-License-Identifier: MIT
// Rules: TRF-14 to TRF-16.

#include "pipeline/transfer/resolve_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/half.hpp"

namespace heddle::pipeline::transfer {

ResolveMode default_resolve_mode(const image::FormatInfo& format) {
  return format.value_class == image::ValueClass::Float ? ResolveMode::Average : ResolveMode::SampleZero;
}

base::Result<ResolvePlan> resolve_plan(const image::Surface& from, const ImageBox& box, const image::Surface& to,
                                       const ImageOrigin& at, ResolveMode mode) {
  const auto source = region_of(from, box);
  if (!source.ok()) return source.failure();
  Region pixels = *source;
  pixels.slices /= from.samples;
  const auto destination = region_at(to, at, pixels);
  if (!destination.ok()) return destination.failure();
  const image::FormatInfo& format = *source->format;
  const bool integer = format.value_class != image::ValueClass::Float;
  if (from.format != to.format || to.samples != 1 || format.compression != image::Compression::None ||
      (mode != ResolveMode::SampleZero && !image::encodable(format)) || (mode == ResolveMode::Average && integer))
    return base::error("transfer-format", fmt::format("{} with {} samples can't be resolved to {} with {} in this mode",
                                                      format.name, from.samples, to.info().name, to.samples));
  return ResolvePlan{*source, *destination, mode};
}

std::uint32_t combine(const ResolvePlan& plan, std::uint32_t so_far, std::uint32_t next) {
  if (plan.mode == ResolveMode::SampleZero) return so_far;
  const bool least = plan.mode == ResolveMode::Minimum;
  switch (plan.from.format->value_class) {
    case image::ValueClass::Uint:
      return least ? std::min(so_far, next) : std::max(so_far, next);
    case image::ValueClass::Sint: {
      const auto a = static_cast<std::int32_t>(so_far), b = static_cast<std::int32_t>(next);
      return static_cast<std::uint32_t>(least ? std::min(a, b) : std::max(a, b));
    }
    case image::ValueClass::Float:
      break;
  }
  const float a = base::float_from_bits(so_far), b = base::float_from_bits(next);
  if (plan.mode == ResolveMode::Average) return base::bits_of(base::canonical(a + b));
  return a != a || (least ? b < a : b > a) ? next : so_far;  // TRF-16: a NaN gives way to a number
}

}  // namespace heddle::pipeline::transfer
