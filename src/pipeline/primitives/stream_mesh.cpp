// SPDX-License-Identifier: MIT
// Rules: MSH-5, PIX-3.
#include "pipeline/primitives/stream_mesh.hpp"

#include <algorithm>
#include <numeric>

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

namespace {

constexpr std::size_t kPrimitives = 256;  // of a piece

}  // namespace

bool StreamPieces::divides(const PrimitiveStream& stream, const RunContext& context) {
  return context.workers > 1 && stream.size() > 4 * kPrimitives && !context.wants_reference() &&
         !context.reports.checking();
}

StreamPieces::StreamPieces(const PrimitiveStream& stream, const RecordLayout& layout,
                           std::span<const RecordComponent> from, const PrimitiveState& state,
                           const RunContext& context, Workspace& workspace)
    : stream_(stream), layout_(layout), from_(from), state_(state), context_(context), workspace_(workspace) {
  workspace.pieces.resize(2 * std::size_t{context.workers} + 2);
  workspace.hands.resize(std::max<std::size_t>(workspace.hands.size(), context.workers));
}

bool StreamPieces::next(std::size_t place) {
  if (begun_ >= stream_.size()) return false;
  workspace_.pieces[place] = {begun_, ++workspace_.count};
  begun_ += kPrimitives;
  return true;
}

double StreamPieces::part() const {
  return std::min(1.0, static_cast<double>(begun_) / static_cast<double>(std::max<std::size_t>(1, stream_.size())));
}

/// Numbers the vertices of some corners in the order of their first use.
void StreamPieces::find_vertices(std::span<const std::uint32_t> at, std::uint32_t piece, Workspace::Hand& hand) const {
  hand.at.resize(at.size());
  hand.places.clear();
  if (in_a_row(at)) {
    std::iota(hand.at.begin(), hand.at.end(), 0u);
    for (const std::uint32_t vertex : at) hand.places.push_back(stream_.place(vertex));
    return;
  }
  if (hand.known.size() < stream_.vertices) hand.known.resize(stream_.vertices);
  for (std::size_t corner = 0; corner < at.size(); ++corner) {
    Workspace::Hand::Known& known = hand.known[at[corner]];
    if (known.piece != piece) {
      known = {piece, static_cast<std::uint32_t>(hand.places.size())};
      hand.places.push_back(stream_.place(at[corner]));
    }
    hand.at[corner] = known.number;
  }
}

bool StreamPieces::make(unsigned worker, std::size_t place, Mesh& mesh) {
  const auto [first, number] = workspace_.pieces[place];
  const std::size_t last = std::min(stream_.size(), first + kPrimitives);
  Workspace::Hand& hand = workspace_.hands[worker];
  find_vertices(stream_.at.subspan(first * stream_.corners, (last - first) * stream_.corners), number, hand);
  PrimitiveStream part = stream_;
  part.vertices = static_cast<std::uint32_t>(hand.places.size());
  part.places = hand.places;
  part.at = hand.at;
  part.tags = stream_.tags.subspan(first, last - first);
  if (!stream_.primitive_places.empty()) part.primitive_places = stream_.primitive_places.subspan(first, last - first);
  RecordMesh made(layout_, from_, mesh, context_);
  made.begin(state_, part);
  made.set_primitives(part, 0, part.size());
  made.take(part, 0, part.vertices);
  if (layout_.primitives.stride != 0) made.take_primitives(part, 0, part.size());
  return true;
}

}  // namespace heddle::pipeline
