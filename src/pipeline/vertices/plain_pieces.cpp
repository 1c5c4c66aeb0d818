// SPDX-License-Identifier: MIT
// Rules: FBO-4, FBO-9, PIX-3, PRM-1.
#include "pipeline/vertices/plain_pieces.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::pipeline {
namespace {

constexpr std::uint32_t kPrimitives = 256;  // of a piece: the vertices of whole threads, whatever their lanes
constexpr std::uint32_t kStreamVertices = 24576;

}  // namespace

bool PlainPieces::divides(const VertexDraw& draw) {
  if (draw.indices) return false;
  if (draw.topology != Topology::TriangleList && draw.topology != Topology::LineList &&
      draw.topology != Topology::PointList)
    return false;
  const std::uint32_t corners = corners_of(draw.topology);
  return draw.vertices % corners == 0 &&
         std::ranges::all_of(draw.others, [&](const VertexRange& other) { return other.vertices % corners == 0; });
}

std::size_t PlainPieces::places_of_stream(const VertexDraw& draw) {
  return kStreamVertices / (kPrimitives * corners_of(draw.topology));
}

std::size_t PlainPieces::records(const VertexDraw& draw, std::size_t places) {
  return places * kPrimitives * corners_of(draw.topology);
}

PlainPieces::PlainPieces(const VertexShared& shared, const engine::jit::BoundKernel* kernel, const VertexDraw& draw,
                         const Bound& bound, std::span<const RecordComponent> from, std::size_t places,
                         Workspace& workspace, std::vector<std::unique_ptr<VertexWorker>>& workers, RunContext& context)
    : shared_(shared),
      kernel_(kernel),
      draw_(draw),
      bound_(bound),
      from_(from),
      workspace_(workspace),
      workers_(workers),
      context_(context),
      corners_(corners_of(draw.topology)),
      places_(places),
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

double PlainPieces::part() const {
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, draw_.all_vertices()));
  return std::min(1.0, static_cast<double>(primitives_ * corners_) / all);
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
  Workspace::Lists& lists = workspace_.lists[worker];
  list(place, lists);
  RecordMesh made(shared_.plan, from_, mesh, context_);
  made.begin({draw_.topology, draw_.provoking_last, draw_.with_points, true}, lists.primitives, *workspace_.records,
             lists.vertices.size(), place * kPrimitives * corners_);
  if (!run(worker, place, lists)) {
    failed_.store(true, std::memory_order_relaxed);
    return false;
  }
  made.take(*workspace_.records, 0, lists.vertices.size());
  context_.budget.progress();
  return true;
}

/// Runs the shader for the vertices of a piece.
bool PlainPieces::run(unsigned worker, std::size_t place, const Workspace::Lists& lists) {
  const std::uint64_t step = context_.budget.take(1);  // draws of many pieces may end by the clock
  context_.budget.give_back(step);
  if (step == 0) return false;
  const std::size_t stride = shared_.plan.stride, first = place * kPrimitives * corners_;
  const std::span<const ShadedVertex> vertices(lists.vertices);
  std::fill_n(workspace_.records->memory->data() + first * stride, vertices.size() * stride, std::uint8_t{0});
  auto& runs = workers_[worker];
  if (!runs) runs = std::make_unique<VertexWorker>(shared_);
  if (!runs->runs()) runs->begin_run(kernel_, draw_, bound_, context_);
  for (std::size_t at = 0; at < vertices.size(); at += shared_.plan.simd)
    if (!runs->run(static_cast<std::uint32_t>((first + at) / shared_.plan.simd), vertices.subspan(at))) return false;
  return true;
}

std::optional<PrimitiveStream> PlainPieces::make_stream() {
  const std::uint64_t before = primitives_;
  std::size_t count = 0;
  while (count < places_ && next(count)) ++count;
  if (count == 0) return std::nullopt;
  const auto primitives = static_cast<std::size_t>(primitives_ - before);
  workspace_.corners.resize(std::max(workspace_.corners.size(), primitives * corners_));
  workspace_.tags.resize(std::max(workspace_.tags.size(), primitives));
  const bool good = for_each_item(context_, context_.workers, count, [&](unsigned worker, std::uint64_t place) {
    Workspace::Lists& lists = workspace_.lists[worker];
    list(place, lists);
    const auto first = static_cast<std::uint32_t>(place) * kPrimitives;
    std::uint32_t* corner = workspace_.corners.data() + std::size_t{first} * corners_;
    PrimitiveTag* tag = workspace_.tags.data() + first;
    std::iota(corner, corner + lists.vertices.size(), first * corners_);
    for (const ListedPrimitive& p : lists.primitives) *tag++ = {p.number, false};
    return run(worker, place, lists);
  });
  if (!good) {
    failed_.store(true, std::memory_order_relaxed);
    return std::nullopt;
  }
  context_.budget.progress();
  PrimitiveStream stream;
  stream.records = workspace_.records;
  stream.stride = shared_.plan.stride;
  stream.vertices = static_cast<std::uint32_t>(primitives * corners_);
  stream.corners = corners_;
  stream.at = std::span(workspace_.corners).first(primitives * corners_);
  stream.tags = std::span(workspace_.tags).first(primitives);
  stream.view = draw_.view;
  return stream;
}

void PlainPieces::count(Counters& counters) {
  const std::uint64_t more = primitives_ - std::exchange(counted_, primitives_);
  counters.input_vertices += more * corners_;
  counters.input_primitives += more;
  counters.vertex_invocations += more * corners_;
}

void PlainPieces::end(Counters& counters) {
  for (const auto& worker : workers_)
    if (worker && worker->runs()) worker->end_run(counters);
  count(counters);
}

}  // namespace heddle::pipeline
