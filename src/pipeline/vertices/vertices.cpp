// SPDX-License-Identifier: MIT
// Rules: FBO-4, PIX-3.
#include "pipeline/vertices/vertices.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "engine/jit/runtime/runtime.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "pipeline/primitives/records.hpp"
#include "pipeline/vertices/plain_pieces.hpp"
#include "pipeline/vertices/vertex_fetch.hpp"
#include "pipeline/vertices/vertex_list.hpp"
#include "pipeline/vertices/vertex_worker.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint64_t kPieceThreads = 16;      // that a worker takes at once
constexpr std::uint64_t kPieceVertices = 24576;  // of a draw that is drawn piece by piece
constexpr std::uint64_t kPieceAlone = 3072;      // by one worker, which finds them in its caches

/// What runs leave to the next.
struct Workspace {
  std::shared_ptr<const engine::jit::BoundKernel> kernel;
  std::vector<std::unique_ptr<VertexWorker>> workers;
  VertexList list;
  machine::SurfaceResource records;
  PlainPieces::Workspace pieces;
  // Of a stream:
  std::vector<std::uint32_t> corners;
  std::vector<PrimitiveTag> tags;
};

/// The primitives of a piece as the next stage takes them.
PrimitiveStream stream_of(const VertexDraw& draw, std::uint32_t stride, Workspace& workspace) {
  const VertexList& list = workspace.list;
  PrimitiveStream stream;
  stream.records = workspace.records;
  stream.stride = stride;
  stream.vertices = list.count();
  stream.view = draw.view;
  if (!list.tags().empty()) {
    stream.corners = whole_corners_of(draw.topology, draw.patch_vertices);
    stream.at = list.corners();
    stream.tags = list.tags();
    return stream;
  }
  stream.corners = corners_of(draw.topology);
  workspace.corners.resize(list.primitives().size() * stream.corners);
  workspace.tags.resize(list.primitives().size());
  std::uint32_t* corner = workspace.corners.data();
  PrimitiveTag* tag = workspace.tags.data();
  for (const ListedPrimitive& p : list.primitives()) {
    for (std::uint32_t k = 0; k < stream.corners; ++k) *corner++ = p.at[k];
    *tag++ = {p.number, p.continues};
  }
  stream.at = workspace.corners;
  stream.tags = workspace.tags;
  return stream;
}

}  // namespace

struct VertexProgram::Impl {
  Impl(std::shared_ptr<const Program> p, VertexPlan vertices, const Bound& slots, const CodeOptions& options)
      : program(std::move(p)),
        plan(std::move(vertices)),
        fetcher(plan),
        code(*program, slots.bindings, kernel_options(), options) {}

  [[nodiscard]] engine::jit::KernelOptions kernel_options() const {
    engine::jit::KernelOptions kernel;
    kernel.simd = plan.simd;
    kernel.own_surfaces = slots_of({plan.records});
    return kernel;
  }

  bool run_shader(Workspace& workspace, bool fast, const VertexDraw& draw, const Bound& bound, const RecordMesh* mesh,
                  RunContext& context, Counters& counters) const;

  /// How many vertices a piece has at most; `whole`: there may be one piece only.
  struct Pieces {
    std::uint64_t vertices;
    bool whole;
  };
  /// What becomes of the records of each piece: a mesh, and what uses it; or a stream.
  struct Ways {
    std::span<const RecordComponent> from;
    Mesh* mesh = nullptr;
    const std::function<bool()>* use_mesh = nullptr;
    const UseStream* use_stream = nullptr;
  };
  bool run(const VertexDraw& draw, Bound& bound, const Ways& ways, RunContext& context, Counters& counters,
           const Pieces& pieces);
  template <typename Use>
  std::optional<bool> run_plain(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from,
                                std::size_t places, RunContext& context, Counters& counters, const Use& use);
  bool run_piece(Workspace& workspace, const VertexDraw& draw, Bound& bound, const Ways& ways, RunContext& context,
                 Counters& counters) const;

  const std::shared_ptr<const Program> program;
  const VertexPlan plan;
  const VertexFetcher fetcher;
  const PlanCode code;
  Workspaces<Workspace> workspaces;
};

bool VertexProgram::Impl::run_shader(Workspace& workspace, bool fast, const VertexDraw& draw, const Bound& bound,
                                     const RecordMesh* mesh, RunContext& context, Counters& counters) const {
  const std::uint64_t threads = (std::uint64_t{workspace.list.count()} + plan.simd - 1) / plan.simd,
                      pieces = (threads + kPieceThreads - 1) / kPieceThreads;
  const VertexShared shared{plan, program->kernel().code(), fast ? code.prepared() : nullptr, fetcher};
  if (workspace.workers.size() < context.workers) workspace.workers.resize(context.workers);
  const std::span<const ShadedVertex> vertices(workspace.list.vertices());
  const bool good = for_each_item(context, context.workers, pieces, [&](unsigned index, std::uint64_t item) {
    auto& worker = workspace.workers[index];
    if (!worker) worker = std::make_unique<VertexWorker>(shared);
    if (!worker->runs()) worker->begin_run(workspace.kernel.get(), draw, bound, context);
    const std::uint64_t end = std::min(threads, (item + 1) * kPieceThreads);
    for (std::uint64_t thread = item * kPieceThreads; thread < end; ++thread)
      if (!worker->run(static_cast<std::uint32_t>(thread), vertices.subspan(thread * plan.simd))) return false;
    if (mesh != nullptr)
      mesh->take(*workspace.records, item * kPieceThreads * plan.simd,
                 std::min<std::uint64_t>(workspace.list.count(), end * plan.simd));
    return true;
  });
  for (const auto& worker : workspace.workers)
    if (worker && worker->runs()) worker->end_run(counters);
  return good;
}

VertexProgram::VertexProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VertexProgram::~VertexProgram() = default;

std::shared_ptr<const VertexProgram> VertexProgram::create(std::shared_ptr<const Program> program, VertexPlan plan,
                                                           const Bound& slots, const CodeOptions& options) {
  return std::shared_ptr<const VertexProgram>(
      new VertexProgram(std::make_unique<Impl>(std::move(program), std::move(plan), slots, options)));
}

const Program& VertexProgram::program() const { return *impl_->program; }
const VertexPlan& VertexProgram::plan() const { return impl_->plan; }

std::shared_ptr<const engine::jit::CompiledKernel> VertexProgram::prepare(const Bound& bound,
                                                                          std::string& why_reference) const {
  std::shared_ptr<const engine::jit::BoundKernel> found;
  return impl_->code.find(found, bound.bindings, nullptr, nullptr, why_reference) ? found->kernel : nullptr;
}

bool VertexProgram::run(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from, Mesh& mesh,
                        RunContext& context, Counters& counters) const {
  const std::uint64_t most = context.memory_bytes / std::max<std::uint64_t>(64, impl_->plan.stride);
  return impl_->run(draw, bound, {from, &mesh, nullptr, nullptr}, context, counters, {most, true});
}

bool VertexProgram::run_pieces(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from, Mesh& mesh,
                               RunContext& context, Counters& counters, const std::function<bool()>& use,
                               const UsePieces& share) const {
  if (share) {
    const std::size_t places = PlainPieces::places_of(context.workers);
    const auto good = impl_->run_plain(draw, bound, from, places, context, counters, share);
    if (good) return *good;
  }
  // Only where pieces share no vertices: what they share is shaded in each, and counted (FBO-4).
  const bool divides = context.workers == 1 && !draw.indices && is_list(draw.topology);
  return impl_->run(draw, bound, {from, &mesh, &use, nullptr}, context, counters,
                    {divides ? kPieceAlone : kPieceVertices, false});
}

/// Calls use(PlainPieces&) with pieces of which so many are there at once. Nothing where the draw can't be divided so,
/// or is too little; else what `use` returned.
template <typename Use>
std::optional<bool> VertexProgram::Impl::run_plain(const VertexDraw& draw, Bound& bound,
                                                   std::span<const RecordComponent> from, std::size_t places,
                                                   RunContext& context, Counters& counters, const Use& use) {
  if (context.workers == 1 || context.wants_reference() || context.reports.checking() || !PlainPieces::divides(draw) ||
      draw.all_vertices() <= kPieceAlone)
    return std::nullopt;
  auto workspace = workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  make_room_for_records(workspace->pieces.records, PlainPieces::records(draw, places) * plan.stride);
  bind_own(bound.bindings, plan.records, workspace->pieces.records);
  std::string why_not;
  std::optional<bool> good;
  if (code.find(workspace->kernel, bound.bindings, nullptr, &context.budget, why_not)) {
    workspace->kernel->kernel->expect(draw.all_vertices() / plan.simd);
    const VertexShared shared{plan, program->kernel().code(), code.prepared(), fetcher};
    PlainPieces pieces(shared, workspace->kernel.get(), draw, bound, from, places, workspace->pieces,
                       workspace->workers, context);
    good = use(pieces);
    pieces.end(counters);
  }
  workspaces.give_back(std::move(workspace));
  return good;
}

bool VertexProgram::run_stream(const VertexDraw& draw, Bound& bound, RunContext& context, Counters& counters,
                               const UseStream& use) const {
  const auto good = impl_->run_plain(draw, bound, {}, PlainPieces::places_of_stream(draw), context, counters,
                                     [&](PlainPieces& pieces) {
                                       for (auto stream = pieces.make_stream(); stream; stream = pieces.make_stream()) {
                                         pieces.count(counters);
                                         if (!use(*stream)) return false;
                                       }
                                       return !pieces.failed();
                                     });
  if (good) return *good;
  const bool divides = context.workers == 1 && !draw.indices && is_list(draw.topology);
  return impl_->run(draw, bound, {{}, nullptr, nullptr, &use}, context, counters,
                    {divides ? kPieceAlone : kPieceVertices, false});
}

/// Draws the vertices of one piece after the other; a draw that must be whole has one only.
bool VertexProgram::Impl::run(const VertexDraw& draw, Bound& bound, const Ways& ways, RunContext& context,
                              Counters& counters, const Pieces& pieces) {
  auto workspace = workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  bool good = true;
  workspace->list.begin(draw);
  std::uint64_t done = 0;
  while (good && (workspace->list.next(draw, pieces.vertices, pieces.vertices) || done == 0)) {
    if (pieces.whole && done != 0) {
      context.reports.add(base::limit_error(
          "limit-memory", fmt::format("{} vertices of {} instances are more than the run may keep (--max-memory)",
                                      draw.vertices, draw.instances)));
      good = false;
      break;
    }
    ++done;
    const std::uint64_t step = context.budget.take(1);  // draws of many empty pieces may end by the clock
    context.budget.give_back(step);
    if (step == 0) {
      good = false;
      break;
    }
    good = run_piece(*workspace, draw, bound, ways, context, counters);
    if (good) context.budget.progress();
  }
  workspaces.give_back(std::move(workspace));
  return good;
}

bool VertexProgram::Impl::run_piece(Workspace& workspace, const VertexDraw& draw, Bound& bound, const Ways& ways,
                                    RunContext& context, Counters& counters) const {
  make_records(workspace.records, std::uint64_t{workspace.list.count()} * plan.stride, context.reports.checking());
  bind_own(bound.bindings, plan.records, workspace.records);
  std::string why_not;
  const bool fast =
      !context.wants_reference() && code.find(workspace.kernel, bound.bindings, nullptr, &context.budget, why_not);
  if (fast)
    workspace.kernel->kernel->expect(std::uint64_t{draw.vertices} * draw.instances / plan.simd);
  else
    workspace.workers.clear();  // which are of another kind, as those of the next run may be
  bool good = false;
  if (ways.mesh != nullptr) {
    RecordMesh made(plan, ways.from, *ways.mesh, context);
    const bool drawn_here = ways.use_mesh != nullptr;
    made.begin({draw.topology, draw.provoking_last, draw.with_points, drawn_here}, workspace.list.primitives(),
               *workspace.records, workspace.list.count());
    good = run_shader(workspace, fast, draw, bound, &made, context, counters);
  } else {
    good = run_shader(workspace, fast, draw, bound, nullptr, context, counters);
  }
  counters.input_vertices += workspace.list.read();
  counters.input_primitives += workspace.list.primitive_count();
  counters.vertex_invocations += workspace.list.count();
  if (!fast) workspace.workers.clear();
  if (good && ways.use_mesh != nullptr) good = (*ways.use_mesh)();
  if (good && ways.use_stream != nullptr) good = (*ways.use_stream)(stream_of(draw, plan.stride, workspace));
  return good;
}

}  // namespace heddle::pipeline
