// SPDX-License-Identifier: MIT
// Rules: FBO-4, FBO-9, PIX-3, PRM-1.
#include "pipeline/vertices/plain_pieces.hpp"

#include <algorithm>

namespace heddle::pipeline {
namespace {

constexpr std::uint32_t kPrimitives = 256;  // of a piece: the vertices of whole threads, whatever their lanes

std::size_t places_of(unsigned workers) { return 2 * std::size_t{workers} + 2; }

}  // namespace

bool PlainPieces::divides(const VertexDraw& draw) {
  if (draw.indices || draw.whole) return false;
  if (draw.topology != Topology::TriangleList && draw.topology != Topology::LineList &&
      draw.topology != Topology::PointList)
    return false;
  const std::uint32_t corners = corners_of(draw.topology);
  return draw.vertices % corners == 0 &&
         std::ranges::all_of(draw.others, [&](const VertexRange& other) { return other.vertices % corners == 0; });
}

std::size_t PlainPieces::records(const VertexDraw& draw, unsigned workers) {
  return places_of(workers) * kPrimitives * corners_of(draw.topology);
}

PlainPieces::PlainPieces(const VertexShared& shared, const engine::jit::BoundKernel* kernel, const VertexDraw& draw,
                         const Bound& bound, std::span<const RecordComponent> from, Workspace& workspace,
                         std::vector<std::unique_ptr<VertexWorker>>& workers, RunContext& context)
    : shared_(shared),
      kernel_(kernel),
      draw_(draw),
      bound_(bound),
      from_(from),
      workspace_(workspace),
      workers_(workers),
      context_(context),
      corners_(corners_of(draw.topology)),
      places_(places_of(context.workers)),
      range_{draw.first_vertex, draw.vertices, draw.vertex_offset} {
  if (workers_.size() < context.workers) workers_.resize(context.workers);
  workspace_.pieces.resize(std::max(workspace_.pieces.size(), places_));
  workspace_.lists.resize(std::max<std::size_t>(workspace_.lists.size(), context.workers));
}

/// Where primitives are left, from the place of next() on.
bool PlainPieces::begin_draw() {
  while (number_ == range_.vertices / corners_ || instance_ == draw_.instances) {
    number_ = 0;
    if (range_.vertices != 0 && ++instance_ < draw_.instances) continue;
    if (others_ == draw_.others.size()) {
      range_.vertices = 0;
      return false;
    }
    range_ = draw_.others[others_++];
    instance_ = 0;
  }
  return true;
}

bool PlainPieces::next(std::size_t place) {
  std::vector<Run>& runs = workspace_.pieces[place];
  runs.clear();
  for (std::uint32_t left = kPrimitives; left != 0 && begin_draw();) {
    const std::uint32_t count = std::min(left, range_.vertices / corners_ - number_);
    runs.push_back({range_.first_vertex + number_ * corners_, instance_, number_, count});
    number_ += count;
    left -= count;
    primitives_ += count;
  }
  return !runs.empty();
}

/// The vertices and primitives of a piece.
void PlainPieces::list(std::size_t place, Workspace::Lists& lists) const {
  std::size_t count = 0;
  for (const Run& run : workspace_.pieces[place]) count += run.primitives;
  lists.vertices.resize(count * corners_);
  lists.primitives.resize(count);
  ShadedVertex* vertex = lists.vertices.data();
  ListedPrimitive* primitive = lists.primitives.data();
  std::uint32_t slot = 0;
  for (const Run& run : workspace_.pieces[place]) {
    std::uint32_t index = run.vertex;
    for (std::uint32_t p = 0; p < run.primitives; ++p, ++primitive) {
      primitive->number = run.number + p;
      for (std::uint32_t k = 0; k < corners_; ++k) {
        *vertex++ = {index++, run.instance};
        primitive->at[k] = slot++;
      }
    }
  }
}

bool PlainPieces::make(unsigned worker, std::size_t place, Mesh& mesh) {
  const bool good = run(worker, place, mesh);
  if (!good) failed_.store(true, std::memory_order_relaxed);
  return good;
}

bool PlainPieces::run(unsigned worker, std::size_t place, Mesh& mesh) {
  const std::uint64_t step = context_.budget.take(1);  // draws of many pieces may end by the clock
  context_.budget.give_back(step);
  if (step == 0) return false;
  Workspace::Lists& lists = workspace_.lists[worker];
  list(place, lists);
  const std::size_t stride = shared_.plan.stride, first = place * kPrimitives * corners_;
  std::fill_n(workspace_.records->memory->data() + first * stride, lists.vertices.size() * stride, std::uint8_t{0});
  RecordMesh made(shared_.plan, from_, mesh, context_);
  made.begin({draw_.topology, draw_.provoking_last, draw_.with_points}, lists.primitives, *workspace_.records,
             lists.vertices.size());
  auto& runs = workers_[worker];
  if (!runs) runs = std::make_unique<VertexWorker>(shared_);
  if (!runs->runs()) runs->begin_run(kernel_, draw_, bound_, context_);
  const std::span<const ShadedVertex> vertices(lists.vertices);
  for (std::size_t at = 0; at < vertices.size(); at += shared_.plan.simd)
    if (!runs->run(static_cast<std::uint32_t>((first + at) / shared_.plan.simd), vertices.subspan(at))) return false;
  made.take_from(*workspace_.records, first);
  context_.budget.progress();
  return true;
}

void PlainPieces::end(Counters& counters) {
  for (const auto& worker : workers_)
    if (worker && worker->runs()) worker->end_run(counters);
  counters.input_vertices += vertices();
  counters.input_primitives += primitives_;
  counters.vertex_invocations += vertices();
}

}  // namespace heddle::pipeline
