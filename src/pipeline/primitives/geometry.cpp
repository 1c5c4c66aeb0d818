// SPDX-License-Identifier: MIT
// Rules: PRM-7, PRM-9, PRM-10.
#include "pipeline/primitives/geometry.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "base/fixed_limits.hpp"
#include "machine/memory.hpp"
#include "pipeline/lane_worker.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint64_t kPieceThreads = 16;                     // that a worker takes at once
constexpr std::uint64_t kWindowBytes = std::uint64_t{4} << 20;  // of the records of a window
constexpr std::uint64_t kWindowLanes = 16384;

std::uint32_t dword_at(const std::uint8_t* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, 4);
  return word;
}

/// Primitives of one stream: of some lanes, or of a window.
struct Made {
  std::vector<std::uint32_t> places, at;
  std::vector<PrimitiveTag> tags;

  void clear() {
    places.clear();
    at.clear();
    tags.clear();
  }
  void add(const Made& more) {
    const auto first = static_cast<std::uint32_t>(places.size());
    places.insert(places.end(), more.places.begin(), more.places.end());
    at.reserve(at.size() + more.at.size());
    for (const std::uint32_t vertex : more.at) at.push_back(first + vertex);
    tags.insert(tags.end(), more.tags.begin(), more.tags.end());
  }
};
using Streams = std::array<Made, base::kMaxVertexStreams>;

/// The lanes of a run: as many invocations of each primitive as the shader asks for, one behind the other.
struct Window {
  const PrimitiveStream* in = nullptr;
  std::uint64_t first = 0, lanes = 0;  ///< of all lanes of the stream
  bool provoking_last = false;
};

/// What runs leave to the next.
struct Workspace {
  std::shared_ptr<const engine::jit::BoundKernel> kernel;
  std::vector<std::unique_ptr<LaneWorker>> workers;
  machine::SurfaceResource vertices, table, records, counts;
  std::vector<Streams> pieces;  ///< of the threads that a worker takes at once
  Streams made;
};

/// Reads what lanes emitted.
class Assembler {
 public:
  Assembler(const GeometryPlan& plan, const Window& window, const Workspace& workspace)
      : plan_(plan),
        window_(window),
        records_(workspace.records->memory->data()),
        counts_(workspace.counts->memory->data()),
        corners_(corners_of(plan.made)) {}

  /// The lanes of the window from `first` to `last`, in their order.
  void read(std::uint64_t first, std::uint64_t last, Streams& to) const {
    for (std::size_t stream = 1; stream < base::kMaxVertexStreams; ++stream) to[stream].clear();
    if (read_single_stream(first, last, to[0])) return;
    to[0].clear();
    const PrimitiveAssembly<std::uint32_t> none(plan_.made, window_.provoking_last);
    Assemblies assembly{none, none, none, none};
    for (std::uint64_t lane = first; lane < last; ++lane) read_lane(static_cast<std::uint32_t>(lane), assembly, to);
  }

 private:
  using Assemblies = std::array<PrimitiveAssembly<std::uint32_t>, base::kMaxVertexStreams>;

  /// The same where all vertices are of stream 0; false: they are not, and `made` is of no use.
  bool read_single_stream(std::uint64_t first, std::uint64_t last, Made& made) const {
    switch (plan_.made) {  // an assembly of a topology that the compiler knows
      case Topology::PointList:
        return read_single_stream_of<Topology::PointList>(first, last, made);
      case Topology::LineStrip:
        return read_single_stream_of<Topology::LineStrip>(first, last, made);
      case Topology::TriangleStrip:
        return read_single_stream_of<Topology::TriangleStrip>(first, last, made);
      default:
        return false;
    }
  }
  template <Topology kMade>
  bool read_single_stream_of(std::uint64_t first, std::uint64_t last, Made& made) const {
    constexpr std::uint32_t kCorners = corners_of(kMade);
    std::size_t most = 0;
    for (std::uint64_t lane = first; lane < last; ++lane) most += count_of(lane);
    made.places.resize(most);
    made.at.resize(most * kCorners);
    made.tags.resize(most);
    PrimitiveAssembly<std::uint32_t> assembly(kMade, window_.provoking_last);
    std::uint32_t vertex = 0, *at = made.at.data();
    PrimitiveTag* tag = made.tags.data();
    for (std::uint64_t lane = first; lane < last; ++lane) {
      assembly.restart();
      const std::uint32_t number = plan_.primitive ? 0 : number_of(lane);
      auto record = static_cast<std::uint32_t>(lane * plan_.max_vertices);
      for (const std::uint32_t end = record + count_of(lane); record != end; ++record, ++vertex) {
        const std::uint32_t header = dword_at(this->at(record) + plan_.header);
        if ((header >> kStreamShift & (base::kMaxVertexStreams - 1)) != 0) return false;
        if ((header & kBeginsStrip) != 0) assembly.restart();
        made.places[vertex] = record;
        const auto primitive = assembly.add(vertex);
        if (!primitive.made) continue;
        for (std::uint32_t k = 0; k < kCorners; ++k) *at++ = primitive.at[k];
        const std::uint32_t provoking = primitive.at[window_.provoking_last ? kCorners - 1 : 0];
        *tag++ = {plan_.primitive ? number_given(made.places[provoking]) : number, primitive.continues};
      }
    }
    made.at.resize(static_cast<std::size_t>(at - made.at.data()));
    made.tags.resize(static_cast<std::size_t>(tag - made.tags.data()));
    return true;
  }

  void read_lane(std::uint32_t lane, Assemblies& assembly, Streams& to) const {
    for (auto& stream : assembly) stream.restart();
    std::uint32_t record = lane * plan_.max_vertices;
    for (const std::uint32_t end = record + count_of(lane); record != end; ++record) {
      const std::uint32_t header = dword_at(at(record) + plan_.header);
      const std::uint32_t stream = header >> kStreamShift & (base::kMaxVertexStreams - 1);
      if ((header & kBeginsStrip) != 0) assembly[stream].restart();
      Made& made = to[stream];
      const auto vertex = static_cast<std::uint32_t>(made.places.size());
      made.places.push_back(record);
      const auto primitive = assembly[stream].add(vertex);
      if (!primitive.made) continue;
      made.at.insert(made.at.end(), primitive.at.begin(), primitive.at.begin() + corners_);
      const std::uint32_t provoking = made.places[primitive.at[window_.provoking_last ? corners_ - 1 : 0]];
      made.tags.push_back({plan_.primitive ? number_given(provoking) : number_of(lane), primitive.continues});
    }
  }

  /// Vertices that it emitted, and has a place for.
  [[nodiscard]] std::uint32_t count_of(std::uint64_t lane) const {
    return std::min(dword_at(counts_ + 4 * lane), plan_.max_vertices);
  }

  /// PRM-10: the number that the shader gave the provoking vertex, or that of the primitive that it was made of.
  [[nodiscard]] std::uint32_t number_given(std::uint32_t provoking) const {
    return dword_at(at(provoking) + *plan_.primitive);
  }
  [[nodiscard]] std::uint32_t number_of(std::uint64_t lane) const {
    return window_.in->tags[(window_.first + lane) / plan_.invocations].number;
  }
  [[nodiscard]] const std::uint8_t* at(std::uint32_t record) const {
    return records_ + std::size_t{record} * plan_.stride;
  }

  const GeometryPlan& plan_;
  const Window& window_;
  const std::uint8_t *records_, *counts_;
  const std::uint32_t corners_;
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
  [[nodiscard]] std::uint64_t window_lanes() const;
  void fill(LaneWorker& worker, const Window& window, std::uint64_t first, std::uint32_t lanes) const;
  bool run_window(Workspace& workspace, const Window& window, const Bound& bound, RunContext& context,
                  Counters& counters) const;
  void report_too_many(const Workspace& workspace, const Window& window, RunContext& context) const;
  bool give(Workspace& workspace, const Window& window, Counters& counters, const UseStream& use) const;

  const std::shared_ptr<const Program> program;
  const GeometryPlan plan;
  const PlanCode code;
  Workspaces<Workspace> workspaces;
};

/// Whole threads; a window may end within a primitive.
std::uint64_t GeometryProgram::Impl::window_lanes() const {
  const std::uint64_t bytes = std::max<std::uint64_t>(1, std::uint64_t{plan.stride} * plan.max_vertices);
  return std::clamp<std::uint64_t>(kWindowBytes / bytes, plan.simd, kWindowLanes) / plan.simd * plan.simd;
}

/// The lanes of a thread, which begin with lane `first` of the window.
void GeometryProgram::Impl::fill(LaneWorker& worker, const Window& window, std::uint64_t first,
                                 std::uint32_t lanes) const {
  const auto primitive = [&](std::uint32_t lane) {
    return static_cast<std::uint32_t>((window.first + first + lane) / plan.invocations);
  };
  for (const GeometryPlan::Value& v : plan.values) {
    const auto put = [&](const auto& value) { worker.put(v.offset, lanes, value); };
    switch (v.value) {
      case SystemValue::Slot:
        put([&](std::uint32_t lane) { return static_cast<std::uint32_t>(first + lane); });
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

bool GeometryProgram::Impl::run_window(Workspace& workspace, const Window& window, const Bound& bound,
                                       RunContext& context, Counters& counters) const {
  const std::uint64_t threads = (window.lanes + plan.simd - 1) / plan.simd,
                      pieces = (threads + kPieceThreads - 1) / kPieceThreads;
  const Assembler assembler(plan, window, workspace);
  if (workspace.workers.size() < context.workers) workspace.workers.resize(context.workers);
  if (workspace.pieces.size() < pieces) workspace.pieces.resize(pieces);
  const bool fast = workspace.kernel != nullptr;
  const bool good = for_each_item(context, context.workers, pieces, [&](unsigned index, std::uint64_t item) {
    auto& worker = workspace.workers[index];
    if (!worker)
      worker =
          std::make_unique<LaneWorker>(program->kernel().code(), fast ? code.prepared() : nullptr, plan.scratch_bytes);
    if (!worker->runs()) worker->begin_run(workspace.kernel.get(), bound, context);
    const std::uint64_t end = std::min(threads, (item + 1) * kPieceThreads);
    for (std::uint64_t thread = item * kPieceThreads; thread < end; ++thread) {
      const std::uint64_t first = thread * plan.simd;
      const auto lanes = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.simd, window.lanes - first));
      fill(*worker, window, first, lanes);
      if (!worker->run(static_cast<std::uint32_t>(thread), lanes)) return false;
    }
    assembler.read(item * kPieceThreads * plan.simd, std::min(window.lanes, end * plan.simd), workspace.pieces[item]);
    return true;
  });
  for (const auto& worker : workspace.workers)
    if (worker && worker->runs()) worker->end_run(counters);
  if (!good) return false;
  for (Made& made : workspace.made) made.clear();
  for (std::uint64_t item = 0; item < pieces; ++item)
    for (std::uint32_t stream = 0; stream < base::kMaxVertexStreams; ++stream)
      workspace.made[stream].add(workspace.pieces[item][stream]);
  counters.geometry_invocations += window.lanes;
  return true;
}

/// run-too-many-vertices: once for a window.
void GeometryProgram::Impl::report_too_many(const Workspace& workspace, const Window& window,
                                            RunContext& context) const {
  for (std::uint64_t lane = 0; lane < window.lanes; ++lane) {
    const std::uint32_t count = dword_at(workspace.counts->memory->data() + 4 * lane);
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

bool GeometryProgram::Impl::give(Workspace& workspace, const Window& window, Counters& counters,
                                 const UseStream& use) const {
  for (std::uint32_t stream = 0; stream < base::kMaxVertexStreams; ++stream) {
    const Made& made = workspace.made[stream];
    counters.geometry_primitives += made.tags.size();
    if (made.tags.empty()) continue;
    PrimitiveStream out;
    out.records = workspace.records;
    out.stride = plan.stride;
    out.vertices = static_cast<std::uint32_t>(made.places.size());
    out.places = made.places;
    out.corners = corners_of(plan.made);
    out.at = made.at;
    out.tags = made.tags;
    out.view = window.in->view;
    out.stream = stream;
    if (!use(out)) return false;
  }
  return true;
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
  const std::uint64_t all = std::uint64_t{in.size()} * plan.invocations, most = std::min(all, impl.window_lanes());
  make_table(workspace->table, in);
  if (checked || !workspace->records || workspace->records->entries < most * plan.max_vertices * plan.stride)
    make_records(workspace->records, most * plan.max_vertices * plan.stride, checked);
  make_raw(workspace->counts, most * 4, machine::kVertexCounts);
  bind_own(bound.bindings, plan.vertices, plan.inputs.take(in, workspace->vertices, checked));
  bind_own(bound.bindings, plan.table, workspace->table);
  bind_own(bound.bindings, plan.records, workspace->records);
  bind_own(bound.bindings, plan.counts, workspace->counts);
  std::string why_not;
  const bool fast = !context.wants_reference() &&
                    impl.code.find(workspace->kernel, bound.bindings, nullptr, &context.budget, why_not);
  if (!fast) {
    workspace->kernel.reset();
    workspace->workers.clear();  // which are of another kind, as those of the next run may be
  }
  bool good = true;
  for (std::uint64_t first = 0; good && first < all; first += most) {
    const Window window{&in, first, std::min(most, all - first), provoking_last};
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
