// SPDX-License-Identifier: MIT
// Rules: PRM-11.
#include "pipeline/primitives/transform_feedback.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "pipeline/primitives/record_copy.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint64_t kPiece = 1024;  // primitives that a worker takes at once

/// Of the primitives from `first` to `last`, behind what the buffer has.
void write(const PrimitiveStream& stream, const CaptureBuffer& buffer, const CaptureTarget& target, std::uint64_t first,
           std::uint64_t last) {
  const std::uint8_t* const records = stream.records->memory->data();
  std::uint8_t* to = target.bytes.data() + target.at + first * stream.corners * buffer.stride;
  for (std::uint64_t v = first * stream.corners; v < last * stream.corners; ++v, to += buffer.stride) {
    const std::uint8_t* const record = records + std::size_t{stream.place(stream.at[v])} * stream.stride;
    for (const RecordCopy& c : buffer.dwords) copy_dwords(c, record, to);
  }
}

}  // namespace

CaptureCount capture(const PrimitiveStream& stream, const CapturePlan& plan, CaptureTargets& targets,
                     RunContext& context) {
  CaptureCount count;
  count.needed = stream.size();
  std::optional<std::uint64_t> fit;
  for (std::size_t b = 0; b < plan.size(); ++b) {
    const std::uint64_t primitive = std::uint64_t{plan[b].stride} * stream.corners;
    if (primitive == 0 || plan[b].stream != stream.stream) continue;
    const std::uint64_t size = targets[b].bytes.size(),
                        room = (size - std::min<std::uint64_t>(size, targets[b].at)) / primitive;
    fit = std::min(fit.value_or(stream.size()), room);
  }
  if (!fit) return count;
  count.written = *fit;
  const std::uint64_t pieces = (*fit + kPiece - 1) / kPiece;
  (void)for_each_item(context, context.workers, pieces, [&](unsigned, std::uint64_t piece) {
    for (std::size_t b = 0; b < plan.size(); ++b)
      if (plan[b].stride != 0 && plan[b].stream == stream.stream)
        write(stream, plan[b], targets[b], piece * kPiece, std::min(*fit, (piece + 1) * kPiece));
    return true;
  });
  for (std::size_t b = 0; b < plan.size(); ++b)
    if (plan[b].stream == stream.stream) targets[b].at += *fit * stream.corners * plan[b].stride;
  return count;
}

}  // namespace heddle::pipeline
