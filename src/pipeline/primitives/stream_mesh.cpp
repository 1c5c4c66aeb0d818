// SPDX-License-Identifier: MIT
// Rules: MSH-5, PIX-3.
#include "pipeline/primitives/stream_mesh.hpp"

#include <algorithm>

namespace heddle::pipeline {

void make_mesh(const PrimitiveStream& stream, const RecordLayout& layout, std::span<const RecordComponent> from,
               const PrimitiveState& state, Mesh& mesh, RunContext& context) {
  constexpr std::uint64_t kPiece = 1024;  // vertices or primitives that a worker takes at once
  RecordMesh made(layout, from, mesh, context);
  made.begin(state, stream);
  const std::uint64_t vertices = stream.vertices, primitives = stream.size(),
                      pieces = (std::max(vertices, primitives) + kPiece - 1) / kPiece;
  (void)for_each_item(context, context.workers, pieces, [&](unsigned, std::uint64_t piece) {
    const std::uint64_t first = piece * kPiece, last = first + kPiece;
    if (first < vertices) made.take(stream, first, std::min(vertices, last));
    if (first >= primitives) return true;
    made.set_primitives(stream, first, std::min(primitives, last));
    if (layout.primitives.stride != 0) made.take_primitives(stream, first, std::min(primitives, last));
    return true;
  });
}

}  // namespace heddle::pipeline
