// SPDX-License-Identifier: MIT
// Resolves row by row: TRF-14 to TRF-16.

#include <array>
#include <cstring>

#include "pipeline/transfer/parallel.hpp"
#include "pipeline/transfer/resolve_plan.hpp"
#include "pipeline/transfer/row_format.hpp"

namespace heddle::pipeline::transfer {
namespace {

constexpr std::size_t kMaxSamples = 16;

void resolve_row(const ResolvePlan& plan, const RowFormat& format, const Plane& from, std::uint32_t layer,
                 std::uint32_t row, std::uint8_t* to) {
  const std::uint32_t samples = plan.from.surface->samples;
  const std::size_t bytes = plan.from.format->bytes_per_element();
  if (plan.mode == ResolveMode::SampleZero) {
    std::memmove(to, from.row(layer * samples, row), plan.to.columns * bytes);
    return;
  }
  std::array<const std::uint8_t*, kMaxSamples> rows{};
  for (std::uint32_t s = 0; s < samples; ++s) rows[s] = from.row(layer * samples + s, row);
  row_functions().resolve(format, rows.data(), samples, plan.mode, plan.to.columns, to);
}

}  // namespace

base::Result<base::Done> resolve(const image::Surface& from, const ImageBox& box, image::Surface& to,
                                 const ImageOrigin& at, ResolveMode mode, Work work) {
  const auto plan = resolve_plan(from, box, to, at, mode);
  if (!plan.ok()) return plan.failure();
  const auto source = plane_of(plan->from), destination = plane_of(plan->to);
  const RowAccess access = row_access(*plan->to.format);
  if (!source || !destination || from.samples > kMaxSamples ||
      (mode != ResolveMode::SampleZero && !(access.reads && access.writes)))
    return reference::resolve(from, box, to, at, mode);
  const std::uint32_t rows = plan->to.rows;
  for_ranges(std::uint64_t{rows} * plan->to.slices,
             std::uint64_t{plan->to.columns} * plan->to.format->bytes_per_element() * (from.samples + 1), work.workers,
             [&](std::uint64_t begin, std::uint64_t end) {
               for (std::uint64_t i = begin; i < end; ++i) {
                 const auto layer = static_cast<std::uint32_t>(i / rows), row = static_cast<std::uint32_t>(i % rows);
                 resolve_row(*plan, access.format, *source, layer, row, destination->row(layer, row));
               }
             });
  return base::Done{};
}

}  // namespace heddle::pipeline::transfer
