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

/// From the record of each vertex to its place in the buffer. `record_of(v)`: the number of that record.
template <typename RecordOf>
void write_vertices(const CaptureBuffer& buffer, const std::uint8_t* records, std::size_t stride, std::uint8_t* to,
                    std::uint64_t first, std::uint64_t last, const RecordOf& record_of) {
  const auto each = [&](const auto& copy) {
    for (std::uint64_t v = first; v < last; ++v, to += buffer.stride) copy(records + record_of(v) * stride);
  };
  if (!buffer.shorts.empty())
    each([&](const std::uint8_t* record) {
      for (const RecordCopy& c : buffer.dwords) copy_dwords(c, record, to);
      for (const ShortCopy& c : buffer.shorts) std::memcpy(to + c.to, record + c.from, 2);
    });
  else if (buffer.dwords.size() == 1 && buffer.dwords[0].dwords == 4)
    each([&, from = buffer.dwords[0].from, at = buffer.dwords[0].to](const std::uint8_t* record) {
      std::memcpy(to + at, record + from, 16);
    });
  else
    each([&](const std::uint8_t* record) {
      for (const RecordCopy& c : buffer.dwords) copy_dwords(c, record, to);
    });
}

/// Whether vertex k is the k-th of all.
bool in_order(std::span<const std::uint32_t> vertices, std::uint32_t first) {
  std::uint32_t different = 0;
  for (const std::uint32_t vertex : vertices) different |= vertex ^ first++;
  return different == 0;
}

/// Of the primitives from `first` to `last`, behind what the buffer has.
void write(const PrimitiveStream& stream, const CaptureBuffer& buffer, const CaptureTarget& target, std::uint64_t first,
           std::uint64_t last) {
  const std::uint8_t* const records = stream.records->memory->data();
  first *= stream.corners;
  last *= stream.corners;
  std::uint8_t* const to = target.bytes.data() + target.at + first * buffer.stride;
  const auto write_all = [&](const auto& record_of) {
    write_vertices(buffer, records, stream.stride, to, first, last, record_of);
  };
  if (stream.places.empty() && in_order(stream.at.subspan(first, last - first), static_cast<std::uint32_t>(first)))
    write_all([](std::uint64_t v) { return static_cast<std::size_t>(v); });
  else
    write_all([&](std::uint64_t v) { return std::size_t{stream.place(stream.at[v])}; });
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
