// SPDX-License-Identifier: MIT
// Rules: FBO-4, PIX-3.
#include "pipeline/vertices/vertices.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "engine/jit/runtime/runtime.hpp"
#include "pipeline/primitives/records.hpp"
#include "pipeline/vertices/vertex_fetch.hpp"
#include "pipeline/vertices/vertex_list.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint64_t kPieceThreads = 16;      // that a worker takes at once
constexpr std::uint64_t kPieceVertices = 24576;  // of a draw that is drawn piece by piece
constexpr std::uint64_t kPieceAlone = 3072;      // by one worker, which finds them in its caches

/// What the workers of a run share.
struct Shared {
  const VertexPlan& plan;
  const machine::Code& code;
  const engine::jit::PreparedKernel* prepared;  ///< null: the reference engine runs
  const VertexFetcher& fetcher;
};

/// One of the computer's threads; kept from run to run.
class Worker {
 public:
  explicit Worker(const Shared& shared)
      : shared_(shared), group_(1), scratch_(static_cast<std::size_t>(shared.plan.scratch_bytes)) {
    if (shared.prepared == nullptr) return;
    runner_ = std::make_unique<engine::jit::Runner>(shared.code);
    uses_scratch_ = shared.prepared->uses_scratch();
  }

  void begin_run(const engine::jit::BoundKernel* kernel, const VertexDraw& draw, const VertexList& list,
                 const Bound& bound, RunContext& context) {
    context_ = &context;
    draw_ = &draw;
    list_ = &list;
    payload_.assign(bound.payload.begin(), bound.payload.end());
    if (shared_.prepared != nullptr) payload_.resize(std::max(payload_.size(), shared_.prepared->payload_bytes()));
    if (uses_scratch_) std::ranges::fill(scratch_, std::uint8_t{0});
    start_.payload = payload_;
    start_.scratch = scratch_;
    start_.group = &group_;
    if (runner_) {
      runner_->begin_run(*kernel, bound.bindings, context.reports, context.budget);
      runner_->begin(start_);
      return;
    }
    observer_.emplace(context);
    start_.observer = &*observer_;
    thread_.emplace(shared_.code, bound.bindings, context.reports);
  }

  void end_run(Counters& counters) {
    if (runner_) runner_->end_run();
    context_ = nullptr;
    counters.threads += std::exchange(threads_, 0);
    if (!observer_) return;
    counters.texels_read += observer_->counters.texels_read;
    counters.texels_written += observer_->counters.texels_written;
  }
  [[nodiscard]] bool runs() const { return context_ != nullptr; }

  /// Hardware thread `number`: a vertex in each lane.
  bool run(std::uint32_t number) {
    const std::uint32_t mask = fill(std::uint64_t{number} * shared_.plan.simd);
    ++threads_;
    auto outcome = engine::reference::Outcome::Finished;
    if (runner_) {
      outcome = runner_->next(mask, number, 0, 0);
    } else {
      start_.dispatch_mask = mask;
      start_.group_id = {number, 0, 0};
      if (context_->reports.checking()) group_.order = {};  // a thread's invocations are others than the last one's
      thread_->start(start_);
      outcome = engine::reference::run_group(std::span(&*thread_, 1), group_, context_->budget);
    }
    return outcome == engine::reference::Outcome::Finished && !context_->reports.failed();
  }

 private:
  /// The lanes from that slot on; their mask.
  std::uint32_t fill(std::uint64_t first) {
    const VertexPlan& plan = shared_.plan;
    const auto lanes = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.simd, list_->count() - first));
    const std::span<const ShadedVertex> of = std::span(list_->vertices()).subspan(first, lanes);
    shared_.fetcher.fill(*draw_, of, payload_);
    for (const VertexPlan::Value& v : plan.values) {
      if (v.offset + std::size_t{4} * lanes > payload_.size()) continue;
      std::uint8_t* to = payload_.data() + v.offset;
      const auto put = [&](const auto& value) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane, to += 4) {
          const std::uint32_t word = value(lane);
          std::memcpy(to, &word, 4);
        }
      };
      if (v.value == SystemValue::Vertex)
        put([&](std::uint32_t lane) { return of[lane].vertex; });
      else if (v.value == SystemValue::Instance)
        put([&](std::uint32_t lane) { return draw_->first_instance + of[lane].instance; });
      else if (v.value == SystemValue::Slot)
        put([&](std::uint32_t lane) { return static_cast<std::uint32_t>(first + lane); });
      else
        put([same = value_of(v.value)](std::uint32_t) { return same; });
    }
    return lanes == 32 ? ~0u : (1u << lanes) - 1;
  }

  /// Of all lanes.
  [[nodiscard]] std::uint32_t value_of(SystemValue value) const {
    switch (value) {
      case SystemValue::BaseVertex:
        return draw_->indices ? static_cast<std::uint32_t>(draw_->vertex_offset) : draw_->first_vertex;
      case SystemValue::BaseInstance:
        return draw_->first_instance;
      case SystemValue::Draw:
        return draw_->draw;
      case SystemValue::View:
        return draw_->view;
      default:
        return 0;
    }
  }

  const Shared shared_;
  machine::Group group_;
  std::vector<std::uint8_t> payload_, scratch_;
  bool uses_scratch_ = true;
  std::unique_ptr<engine::jit::Runner> runner_;
  machine::ThreadStart start_;
  // Of a run:
  RunContext* context_ = nullptr;
  const VertexDraw* draw_ = nullptr;
  const VertexList* list_ = nullptr;
  std::optional<WorkerObserver> observer_;
  std::optional<machine::Thread> thread_;
  std::uint64_t threads_ = 0;
};

/// What runs leave to the next.
struct Workspace {
  std::shared_ptr<const engine::jit::BoundKernel> kernel;
  std::vector<std::unique_ptr<Worker>> workers;
  VertexList list;
  machine::SurfaceResource records;
};

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
    return kernel;
  }

  bool run_shader(Workspace& workspace, bool fast, const VertexDraw& draw, const Bound& bound, RecordMesh& mesh,
                  RunContext& context, Counters& counters) const;

  /// How many vertices a piece has at most; `whole`: there may be one piece only.
  struct Pieces {
    std::uint64_t vertices;
    bool whole;
  };
  bool run(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from, Mesh& mesh, RunContext& context,
           Counters& counters, const Pieces& pieces, const std::function<bool()>& use);
  void bind_records(Bound& bound, const Workspace& workspace) const;

  const std::shared_ptr<const Program> program;
  const VertexPlan plan;
  const VertexFetcher fetcher;
  const PlanCode code;
  Workspaces<Workspace> workspaces;
};

bool VertexProgram::Impl::run_shader(Workspace& workspace, bool fast, const VertexDraw& draw, const Bound& bound,
                                     RecordMesh& mesh, RunContext& context, Counters& counters) const {
  const std::uint64_t threads = (std::uint64_t{workspace.list.count()} + plan.simd - 1) / plan.simd,
                      pieces = (threads + kPieceThreads - 1) / kPieceThreads;
  const Shared shared{plan, program->kernel().code(), fast ? code.prepared() : nullptr, fetcher};
  if (workspace.workers.size() < context.workers) workspace.workers.resize(context.workers);
  const bool good = for_each_item(context, context.workers, pieces, [&](unsigned index, std::uint64_t item) {
    auto& worker = workspace.workers[index];
    if (!worker) worker = std::make_unique<Worker>(shared);
    if (!worker->runs()) worker->begin_run(workspace.kernel.get(), draw, workspace.list, bound, context);
    const std::uint64_t end = std::min(threads, (item + 1) * kPieceThreads);
    for (std::uint64_t thread = item * kPieceThreads; thread < end; ++thread)
      if (!worker->run(static_cast<std::uint32_t>(thread))) return false;
    mesh.take(*workspace.records, item * kPieceThreads * plan.simd,
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

std::shared_ptr<const engine::jit::Kernel> VertexProgram::prepare(const Bound& bound,
                                                                  std::string& why_reference) const {
  std::shared_ptr<const engine::jit::BoundKernel> found;
  return impl_->code.find(found, bound.bindings, nullptr, nullptr, why_reference) ? found->kernel : nullptr;
}

bool VertexProgram::run(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from, Mesh& mesh,
                        RunContext& context, Counters& counters) const {
  const std::uint64_t most = context.memory_bytes / std::max<std::uint64_t>(64, impl_->plan.stride);
  return impl_->run(draw, bound, from, mesh, context, counters, {most, true}, {});
}

bool VertexProgram::run_pieces(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from, Mesh& mesh,
                               RunContext& context, Counters& counters, const std::function<bool()>& use) const {
  // Only where pieces share no vertices: what they share is shaded in each, and counted (FBO-4).
  const bool divides = context.workers == 1 && !draw.indices && is_list(draw.topology);
  return impl_->run(draw, bound, from, mesh, context, counters, {divides ? kPieceAlone : kPieceVertices, false}, use);
}

/// Draws the vertices of one piece after the other; a draw that must be whole has one only.
bool VertexProgram::Impl::run(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from, Mesh& mesh,
                              RunContext& context, Counters& counters, const Pieces& pieces,
                              const std::function<bool()>& use) {
  auto workspace = workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  bool good = true;
  std::string why_not;
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
    make_records(workspace->records, std::uint64_t{workspace->list.count()} * plan.stride, context.reports.checking());
    bind_records(bound, *workspace);
    const bool fast =
        !context.wants_reference() && code.find(workspace->kernel, bound.bindings, nullptr, &context.budget, why_not);
    if (!fast) workspace->workers.clear();  // which are of another kind, as those of the next run may be
    RecordMesh made(plan, from, mesh, context.reports.checking());
    made.begin({draw.topology, draw.provoking_last, draw.with_points}, workspace->list.primitives(),
               workspace->list.count());
    good = run_shader(*workspace, fast, draw, bound, made, context, counters);
    counters.input_vertices += workspace->list.read();
    counters.input_primitives += workspace->list.primitives().size();
    counters.vertex_invocations += workspace->list.count();
    if (!fast) workspace->workers.clear();
    if (good && use) good = use();
    if (good) context.budget.progress();
  }
  workspaces.give_back(std::move(workspace));
  return good;
}

void VertexProgram::Impl::bind_records(Bound& bound, const Workspace& workspace) const {
  auto& surfaces = bound.bindings.surfaces;
  if (plan.records_handle) {
    bound.bindings.bindless_surfaces[*plan.records_handle] = workspace.records;
    return;
  }
  if (surfaces.size() <= plan.records_slot) surfaces.resize(plan.records_slot + 1);
  surfaces[plan.records_slot] = workspace.records;
}

}  // namespace heddle::pipeline
