// SPDX-License-Identifier: MIT
// Rules: PRM-7, PRM-9, PRM-10.
#include "pipeline/primitives/geometry.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include <fmt/format.h>

#include "machine/memory.hpp"
#include "pipeline/lane_worker.hpp"
#include "pipeline/primitives/geometry_assembler.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint64_t kPieceThreads = 16;                     // that a worker takes at once
constexpr std::uint64_t kWindowBytes = std::uint64_t{4} << 20;  // of the records of a window
constexpr std::uint64_t kWindowLanes = 16384;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 16;  // of a piece that becomes pixels at once: caches hold it
constexpr std::uint64_t kPieceLanes = 256;
constexpr std::uint64_t kFewPieces = 4;  // are one worker's

/// What runs leave to the next.
struct Workspace {
  std::shared_ptr<const engine::jit::BoundKernel> kernel;
  std::vector<std::unique_ptr<LaneWorker>> workers;
  machine::SurfaceResource vertices, table, records, counts;
  std::vector<EmittedStreams> pieces;  ///< of the threads that a worker takes at once
  EmittedStreams made;
  std::vector<EmittedStreams> hands;  ///< of each worker's piece
};

}  // namespace

struct GeometryProgram::Impl {
  Impl(std::shared_ptr<const Program> p, GeometryPlan geometry, const Bound& slots, const CodeOptions& options)
      : program(std::move(p)), plan(std::move(geometry)), code(*program, slots.bindings, kernel_options(), options) {}

  [[nodiscard]] engine::jit::KernelOptions kernel_options() const {
    engine::jit::KernelOptions kernel;
    kernel.simd = plan.simd;
    kernel.own_surfaces = slots_of({plan.records, plan.counts});
    return kernel;
  }
  [[nodiscard]] std::uint64_t lanes_of(std::uint64_t bytes, std::uint64_t most) const;
  bool begin(Workspace& workspace, const PrimitiveStream& in, std::uint64_t lanes, Bound& bound,
             RunContext& context) const;
  LaneWorker& worker(Workspace& workspace, unsigned index, const Bound& bound, RunContext& context) const;
  bool run_thread(LaneWorker& worker, const GeometryWindow& window, std::uint64_t thread) const;
  void fill(LaneWorker& worker, const GeometryWindow& window, std::uint64_t first, std::uint32_t lanes) const;
  bool run_window(Workspace& workspace, const GeometryWindow& window, const Bound& bound, RunContext& context,
                  Counters& counters) const;
  void report_too_many(const Workspace& workspace, const GeometryWindow& window, RunContext& context) const;
  [[nodiscard]] PrimitiveStream stream_of(const Workspace& workspace, const Emitted& made, const PrimitiveStream& in,
                                          std::uint32_t stream) const;
  bool give(Workspace& workspace, const GeometryWindow& window, Counters& counters, const UseStream& use) const;

  const std::shared_ptr<const Program> program;
  const GeometryPlan plan;
  const PlanCode code;
  Workspaces<Workspace> workspaces;
};

/// Whole threads, whose records take so many bytes at most; they may end within a primitive.
std::uint64_t GeometryProgram::Impl::lanes_of(std::uint64_t bytes, std::uint64_t most) const {
  const std::uint64_t of_one = std::max<std::uint64_t>(1, std::uint64_t{plan.stride} * plan.max_vertices);
  return std::clamp<std::uint64_t>(bytes / of_one, plan.simd, most) / plan.simd * plan.simd;
}

/// Binds what it reads, and room for what so many lanes write. Whether the fast engine runs them.
bool GeometryProgram::Impl::begin(Workspace& workspace, const PrimitiveStream& in, std::uint64_t lanes, Bound& bound,
                                  RunContext& context) const {
  const bool checked = context.reports.checking();
  const std::uint64_t bytes = lanes * plan.max_vertices * plan.stride;
  make_table(workspace.table, in);
  if (checked || !workspace.records || workspace.records->entries < bytes)
    make_records(workspace.records, bytes, checked);
  make_raw(workspace.counts, lanes * 4, machine::kVertexCounts);
  bind_own(bound.bindings, plan.vertices, plan.inputs.take(in, workspace.vertices, checked));
  bind_own(bound.bindings, plan.table, workspace.table);
  bind_own(bound.bindings, plan.records, workspace.records);
  bind_own(bound.bindings, plan.counts, workspace.counts);
  std::string why_not;
  const bool fast =
      !context.wants_reference() && code.find(workspace.kernel, bound.bindings, nullptr, &context.budget, why_not);
  if (!fast) {
    workspace.kernel.reset();
    workspace.workers.clear();  // which are of another kind, as those of the next run may be
  }
  if (workspace.workers.size() < context.workers) workspace.workers.resize(context.workers);
  return fast;
}

LaneWorker& GeometryProgram::Impl::worker(Workspace& workspace, unsigned index, const Bound& bound,
                                          RunContext& context) const {
  auto& worker = workspace.workers[index];
  const auto* const prepared = workspace.kernel != nullptr ? code.prepared() : nullptr;
  if (!worker) worker = std::make_unique<LaneWorker>(program->kernel().code(), prepared, plan.scratch_bytes);
  if (!worker->runs()) worker->begin_run(workspace.kernel.get(), bound, context);
  return *worker;
}

/// A thread of the window.
bool GeometryProgram::Impl::run_thread(LaneWorker& worker, const GeometryWindow& window, std::uint64_t thread) const {
  const std::uint64_t first = thread * plan.simd;
  const auto lanes = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.simd, window.lanes - first));
  fill(worker, window, first, lanes);
  return worker.run(static_cast<std::uint32_t>(window.slot / plan.simd + thread), lanes);
}

/// The lanes of a thread, which begin with lane `first` of the window.
void GeometryProgram::Impl::fill(LaneWorker& worker, const GeometryWindow& window, std::uint64_t first,
                                 std::uint32_t lanes) const {
  const auto primitive = [&](std::uint32_t lane) {
    return static_cast<std::uint32_t>((window.first + first + lane) / plan.invocations);
  };
  for (const GeometryPlan::Value& v : plan.values) {
    const auto put = [&](const auto& value) { worker.put(v.offset, lanes, value); };
    switch (v.value) {
      case SystemValue::Slot:
        put([&](std::uint32_t lane) { return static_cast<std::uint32_t>(window.slot + first + lane); });
        break;
      case SystemValue::PrimitiveSlot:
        put(primitive);
        break;
      case SystemValue::Primitive:
        put([&](std::uint32_t lane) { return window.in->tags[primitive(lane)].number; });
        break;
      case SystemValue::Invocation:
        put([&](std::uint32_t lane) {
          return static_cast<std::uint32_t>((window.first + first + lane) % plan.invocations);
        });
        break;
      case SystemValue::View:
        put([&](std::uint32_t) { return window.in->view; });
        break;
      default:
        put([](std::uint32_t) { return 0u; });
    }
  }
}

bool GeometryProgram::Impl::run_window(Workspace& workspace, const GeometryWindow& window, const Bound& bound,
                                       RunContext& context, Counters& counters) const {
  const std::uint64_t threads = (window.lanes + plan.simd - 1) / plan.simd,
                      pieces = (threads + kPieceThreads - 1) / kPieceThreads;
  const GeometryAssembler assembler(plan, window, workspace.records->memory->data(), workspace.counts->memory->data());
  if (workspace.pieces.size() < pieces) workspace.pieces.resize(pieces);
  const bool good = for_each_item(context, context.workers, pieces, [&](unsigned index, std::uint64_t item) {
    LaneWorker& of = worker(workspace, index, bound, context);
    const std::uint64_t end = std::min(threads, (item + 1) * kPieceThreads);
    for (std::uint64_t thread = item * kPieceThreads; thread < end; ++thread)
      if (!run_thread(of, window, thread)) return false;
    assembler.read(item * kPieceThreads * plan.simd, std::min(window.lanes, end * plan.simd), workspace.pieces[item]);
    return true;
  });
  for (const auto& worker : workspace.workers)
    if (worker && worker->runs()) worker->end_run(counters);
  if (!good) return false;
  for (Emitted& made : workspace.made) made.clear();
  for (std::uint64_t item = 0; item < pieces; ++item)
    for (std::uint32_t stream = 0; stream < base::kMaxVertexStreams; ++stream)
      workspace.made[stream].add(workspace.pieces[item][stream]);
  counters.geometry_invocations += window.lanes;
  return true;
}

/// run-too-many-vertices: once for a window.
void GeometryProgram::Impl::report_too_many(const Workspace& workspace, const GeometryWindow& window,
                                            RunContext& context) const {
  const GeometryAssembler assembler(plan, window, workspace.records->memory->data(), workspace.counts->memory->data());
  for (std::uint64_t lane = 0; lane < window.lanes; ++lane) {
    const std::uint32_t count = assembler.emitted(lane);
    if (count <= plan.max_vertices) continue;
    context.reports.add(base::warning(
        "run-too-many-vertices",
        fmt::format("invocation {} of primitive {} emits {} vertices, of {} that the shader declares; the others are "
                    "not there",
                    (window.first + lane) % plan.invocations,
                    window.in->tags[(window.first + lane) / plan.invocations].number, count, plan.max_vertices)));
    return;
  }
}

/// Primitives as the next stage takes them.
PrimitiveStream GeometryProgram::Impl::stream_of(const Workspace& workspace, const Emitted& made,
                                                 const PrimitiveStream& in, std::uint32_t stream) const {
  PrimitiveStream out;
  out.records = workspace.records;
  out.stride = plan.stride;
  out.vertices = static_cast<std::uint32_t>(made.places.size());
  out.places = made.places;
  out.corners = corners_of(plan.made);
  out.at = made.at;
  out.tags = made.tags;
  out.view = in.view;
  out.stream = stream;
  return out;
}

bool GeometryProgram::Impl::give(Workspace& workspace, const GeometryWindow& window, Counters& counters,
                                 const UseStream& use) const {
  for (std::uint32_t stream = 0; stream < base::kMaxVertexStreams; ++stream) {
    const Emitted& made = workspace.made[stream];
    counters.geometry_primitives += made.tags.size();
    if (made.tags.empty()) continue;
    const PrimitiveStream out = stream_of(workspace, made, *window.in, stream);
    if (!use(out)) return false;
  }
  return true;
}

/// What lanes emit becomes a mesh where it lies, in records that are those of a piece's place.
class GeometryProgram::Pieces final : public MeshPieces {
 public:
  Pieces(const Impl& impl, Workspace& workspace, const PrimitiveStream& in, const PrimitiveState& state,
         std::uint32_t stream, std::span<const RecordComponent> from, std::uint64_t lanes, const Bound& bound,
         RunContext& context)
      : impl_(impl),
        workspace_(workspace),
        in_(in),
        state_(state),
        stream_(stream),
        from_(from),
        lanes_(lanes),
        all_(std::uint64_t{in.size()} * impl.plan.invocations),
        bound_(bound),
        context_(context),
        firsts_(places_of(context.workers)),
        made_(context.workers) {
    if (workspace.hands.size() < context.workers) workspace.hands.resize(context.workers);
  }

  /// A mesh refers to the records at its place; one worker has it drawn before it makes the next one.
  [[nodiscard]] static std::size_t places_of(unsigned workers) {
    return workers == 1 ? 1 : 2 * std::size_t{workers} + 2;
  }
  [[nodiscard]] std::size_t places() const override { return firsts_.size(); }
  bool next(std::size_t place) override {
    if (begun_ >= all_) return false;
    firsts_[place] = begun_;
    begun_ += lanes_;
    return true;
  }
  [[nodiscard]] double part() const override {
    return std::min(1.0, static_cast<double>(begun_) / static_cast<double>(all_));
  }
  bool make(unsigned worker, std::size_t place, Mesh& mesh) override {
    const GeometryPlan& plan = impl_.plan;
    const std::uint64_t first = firsts_[place];
    const GeometryWindow window{&in_, first, std::min(lanes_, all_ - first), place * lanes_, state_.provoking_last};
    LaneWorker& of = impl_.worker(workspace_, worker, bound_, context_);
    for (std::uint64_t thread = 0; thread * plan.simd < window.lanes; ++thread)
      if (!impl_.run_thread(of, window, thread)) {
        failed_.store(true, std::memory_order_relaxed);
        return false;
      }
    EmittedStreams& emitted = workspace_.hands[worker];
    GeometryAssembler(plan, window, workspace_.records->memory->data(), workspace_.counts->memory->data())
        .read(0, window.lanes, emitted);
    for (std::size_t s = 0; s < emitted.size(); ++s) made_[worker][s] += emitted[s].tags.size();
    const PrimitiveStream out = impl_.stream_of(workspace_, emitted[stream_], in_, stream_);
    RecordMesh to(plan, from_, mesh, context_);
    to.begin(state_, out);
    to.set_primitives(out, 0, out.size());
    to.take(out, 0, out.vertices);
    context_.budget.progress();
    return true;
  }
  [[nodiscard]] bool failed() const override { return failed_; }

  /// Behind the last one.
  void end(Counters& counters) const {
    for (const auto& worker : workspace_.workers)
      if (worker && worker->runs()) worker->end_run(counters);
    counters.geometry_invocations += std::min(begun_, all_);
    for (const Counters::OfStreams& made : made_)
      for (std::size_t s = 0; s < made.size(); ++s) {
        counters.geometry_primitives += made[s];
        counters.generated[s] += made[s];
      }
  }

 private:
  const Impl& impl_;
  Workspace& workspace_;
  const PrimitiveStream& in_;
  const PrimitiveState& state_;
  const std::uint32_t stream_;
  const std::span<const RecordComponent> from_;
  const std::uint64_t lanes_, all_;  ///< of a piece, and of the stream
  const Bound& bound_;
  RunContext& context_;
  std::vector<std::uint64_t> firsts_;      ///< by place
  std::vector<Counters::OfStreams> made_;  ///< by worker
  std::uint64_t begun_ = 0;                ///< lanes
  std::atomic<bool> failed_{false};
};

std::optional<bool> GeometryProgram::run_pieces(const PrimitiveStream& in, const PrimitiveState& state,
                                                std::uint32_t stream, std::span<const RecordComponent> from,
                                                Bound& bound, RunContext& context, Counters& counters,
                                                const UsePieces& share) const {
  const Impl& impl = *impl_;
  const std::uint64_t lanes = impl.lanes_of(kPieceBytes, kPieceLanes);
  if (in.corners != impl.plan.corners || std::uint64_t{in.size()} * impl.plan.invocations <= kFewPieces * lanes ||
      context.wants_reference() || context.reports.checking())
    return std::nullopt;
  auto workspace = impl_->workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  std::optional<bool> good;
  if (impl.begin(*workspace, in, lanes * Pieces::places_of(context.workers), bound, context)) {
    Pieces pieces(impl, *workspace, in, state, stream, from, lanes, bound, context);
    good = share(pieces) && !pieces.failed();
    pieces.end(counters);
  }
  impl_->workspaces.give_back(std::move(workspace));
  return good;
}

GeometryProgram::GeometryProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GeometryProgram::~GeometryProgram() = default;

std::shared_ptr<const GeometryProgram> GeometryProgram::create(std::shared_ptr<const Program> program,
                                                               GeometryPlan plan, const Bound& slots,
                                                               const CodeOptions& options) {
  return std::shared_ptr<const GeometryProgram>(
      new GeometryProgram(std::make_unique<Impl>(std::move(program), std::move(plan), slots, options)));
}

const Program& GeometryProgram::program() const { return *impl_->program; }
const GeometryPlan& GeometryProgram::plan() const { return impl_->plan; }

bool GeometryProgram::run(const PrimitiveStream& in, bool provoking_last, Bound& bound, RunContext& context,
                          Counters& counters, const UseStream& use) const {
  Impl& impl = *impl_;
  const GeometryPlan& plan = impl.plan;
  if (in.size() == 0 || in.corners != plan.corners) return true;  // of another kind than the shader takes
  auto workspace = impl.workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  const bool checked = context.reports.checking();
  const std::uint64_t all = std::uint64_t{in.size()} * plan.invocations,
                      most = std::min(all, impl.lanes_of(kWindowBytes, kWindowLanes));
  const bool fast = impl.begin(*workspace, in, most, bound, context);
  bool good = true;
  for (std::uint64_t first = 0; good && first < all; first += most) {
    const GeometryWindow window{&in, first, std::min(most, all - first), 0, provoking_last};
    good = impl.run_window(*workspace, window, bound, context, counters);
    if (good && checked) impl.report_too_many(*workspace, window, context);
    if (good) good = impl.give(*workspace, window, counters, use);
    if (good) context.budget.progress();
  }
  if (!fast) workspace->workers.clear();
  impl.workspaces.give_back(std::move(workspace));
  return good;
}

}  // namespace heddle::pipeline
