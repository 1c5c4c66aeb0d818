// SPDX-License-Identifier: MIT
// Rules: MSH-5, PIX-3.
#include "pipeline/primitives/stream_mesh.hpp"

#include <algorithm>

namespace heddle::pipeline {

void make_mesh(const PrimitiveStream& stream, const RecordLayout& layout, std::span<const RecordComponent> from,
               const PrimitiveState& state, Mesh& mesh, RunContext& context) {
  constexpr std::uint64_t kPiece = 1024;  // vertices that a worker takes at once
  RecordMesh made(layout, from, mesh, context);
  made.begin(state, stream);
  const std::uint64_t pieces = (stream.vertices + kPiece - 1) / kPiece;
  (void)for_each_item(context, context.workers, pieces, [&](unsigned, std::uint64_t piece) {
    made.take(stream, piece * kPiece, std::min<std::uint64_t>(stream.vertices, (piece + 1) * kPiece));
    return true;
  });
  if (layout.primitives.stride == 0) return;
  const std::uint64_t lists = (stream.size() + kPiece - 1) / kPiece;
  (void)for_each_item(context, context.workers, lists, [&](unsigned, std::uint64_t piece) {
    made.take_primitives(stream, piece * kPiece, std::min<std::uint64_t>(stream.size(), (piece + 1) * kPiece));
    return true;
  });
}

}  // namespace heddle::pipeline
