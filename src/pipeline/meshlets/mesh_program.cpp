// SPDX-License-Identifier: MIT
// Rules: MSH-4 to MSH-8.
#include "pipeline/meshlets/mesh_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "pipeline/meshlets/group_cursor.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint64_t kMeshWindowBytes = std::uint64_t{4} << 20;  // of the records of a window
constexpr std::uint64_t kMeshWindowGroups = 4096;
constexpr std::size_t kPieceGroups = 32;  // that a worker reads at once

std::uint32_t word_at(const std::uint8_t* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, 4);
  return word;
}

/// What some groups, or those of a window, made.
struct MadeMesh {
  std::vector<std::uint32_t> places, at, primitive_places;
  std::vector<PrimitiveTag> tags;

  void clear() {
    places.clear();
    at.clear();
    primitive_places.clear();
    tags.clear();
  }
  void add(const MadeMesh& more) {
    const auto first = static_cast<std::uint32_t>(places.size());
    places.insert(places.end(), more.places.begin(), more.places.end());
    at.reserve(at.size() + more.at.size());
    for (const std::uint32_t vertex : more.at) at.push_back(first + vertex);
    primitive_places.insert(primitive_places.end(), more.primitive_places.begin(), more.primitive_places.end());
    tags.insert(tags.end(), more.tags.begin(), more.tags.end());
  }
};

/// What runs leave to the next.
struct MeshWorkspace {
  GroupRunner::Surfaces surfaces;
  machine::SurfaceResource records, primitives, payload;
  std::vector<GroupEntry> window;
  std::vector<MadeMesh> pieces;
  MadeMesh made;
};

/// Records of zeros; a run that is checked knows that nothing is written yet.
void make_empty(machine::SurfaceResource& records, std::uint64_t bytes, bool checked) {
  make_records(records, bytes, checked);
  if (checked) std::fill_n(records->memory->data() + records->entries, records->entries, std::uint8_t{1});
}

/// Reads what groups made.
class GroupReader {
 public:
  GroupReader(const MeshPlan& plan, const MeshWorkspace& workspace)
      : plan_(plan), workspace_(workspace), primitives_(workspace.primitives->memory->data()) {}

  void take(std::size_t first, std::size_t last, MadeMesh& to) const {
    to.clear();
    for (std::size_t group = first; group < last; ++group) take_group(static_cast<std::uint32_t>(group), to);
  }
  /// Adds to the reports what is wrong with a window: the first of each kind.
  void check(RunContext& context) const;

 private:
  using Corners = std::array<std::uint32_t, 3>;
  [[nodiscard]] std::uint32_t vertices(const GroupCounts& c) const { return std::min(c[0], plan_.max_vertices); }
  [[nodiscard]] std::uint32_t primitives(const GroupCounts& c) const { return std::min(c[1], plan_.max_primitives); }
  [[nodiscard]] const std::uint8_t* record(std::uint32_t group, std::uint32_t primitive) const {
    return primitives_ + (std::size_t{group} * plan_.max_primitives + primitive) * plan_.primitives.stride;
  }
  [[nodiscard]] Corners corners(const std::uint8_t* record) const {
    Corners at{};
    for (std::uint32_t c = 0; c < plan_.corners; ++c)
      if (plan_.index[c]) at[c] = word_at(record + *plan_.index[c]);
    return at;
  }
  /// MSH-6.
  [[nodiscard]] bool is_culled(const std::uint8_t* record) const {
    return plan_.culled && word_at(record + *plan_.culled) != 0;
  }
  /// MSH-4: all of its vertices are there.
  [[nodiscard]] bool is_whole(const Corners& at, std::uint32_t vertices) const {
    return std::all_of(at.begin(), at.begin() + plan_.corners, [&](std::uint32_t v) { return v < vertices; });
  }
  void take_group(std::uint32_t group, MadeMesh& to) const;
  void check_indices(RunContext& context, std::uint32_t group, const GroupCounts& counts, bool& found) const;

  const MeshPlan& plan_;
  const MeshWorkspace& workspace_;
  const std::uint8_t* const primitives_;
};

void GroupReader::take_group(std::uint32_t group, MadeMesh& to) const {
  const GroupCounts counts = GroupRunner::counts_of(workspace_.surfaces, group);
  const std::uint32_t vertex_count = vertices(counts), primitive_count = primitives(counts);
  const auto first = static_cast<std::uint32_t>(to.places.size());
  for (std::uint32_t v = 0; v < vertex_count; ++v) to.places.push_back(group * plan_.max_vertices + v);
  for (std::uint32_t p = 0; p < primitive_count; ++p) {
    const std::uint8_t* const from = record(group, p);
    const Corners at = corners(from);
    if (is_culled(from) || !is_whole(at, vertex_count)) continue;
    for (std::uint32_t c = 0; c < plan_.corners; ++c) to.at.push_back(first + at[c]);
    to.primitive_places.push_back(group * plan_.max_primitives + p);
    to.tags.push_back({plan_.number ? word_at(from + *plan_.number) : p, false});
  }
}

std::string number_of(const GroupEntry& group) {
  return fmt::format("mesh group ({}, {}, {})", group.number[0], group.number[1], group.number[2]);
}

/// run-too-many-outputs, run-mesh-index.
void GroupReader::check(RunContext& context) const {
  bool too_many = false, wrong_index = false;
  for (std::uint32_t group = 0; group < workspace_.window.size(); ++group) {
    const GroupCounts counts = GroupRunner::counts_of(workspace_.surfaces, group);
    if (!too_many && (counts[0] > plan_.max_vertices || counts[1] > plan_.max_primitives)) {
      too_many = true;
      context.reports.add(base::warning(
          "run-too-many-outputs",
          fmt::format("{} makes {} vertices and {} primitives, of {} and {} that the shader declares; the others are "
                      "not there",
                      number_of(workspace_.window[group]), counts[0], counts[1], plan_.max_vertices,
                      plan_.max_primitives)));
    }
    check_indices(context, group, counts, wrong_index);
  }
}

void GroupReader::check_indices(RunContext& context, std::uint32_t group, const GroupCounts& counts,
                                bool& found) const {
  for (std::uint32_t p = 0; !found && p < primitives(counts); ++p) {
    const Corners at = corners(record(group, p));
    if (is_culled(record(group, p)) || is_whole(at, vertices(counts))) continue;
    found = true;
    const std::uint32_t wrong =
        *std::find_if(at.begin(), at.begin() + plan_.corners, [&](std::uint32_t v) { return v >= vertices(counts); });
    context.reports.add(
        base::warning("run-mesh-index",
                      fmt::format("primitive {} of {} has the vertex {}, of {} that the group makes; it is not drawn",
                                  p, number_of(workspace_.window[group]), wrong, vertices(counts))));
  }
}

}  // namespace

struct MeshProgram::Impl {
  Impl(std::shared_ptr<const Program> program, MeshPlan mesh, const Bound& slots, const CodeOptions& options)
      : plan(std::move(mesh)), runner(std::move(program), plan, slots, options) {}

  [[nodiscard]] std::uint64_t vertex_bytes() const { return std::uint64_t{plan.max_vertices} * plan.stride; }
  [[nodiscard]] std::uint64_t primitive_bytes() const {
    return std::uint64_t{plan.max_primitives} * plan.primitives.stride;
  }
  [[nodiscard]] std::size_t window_groups() const {
    const std::uint64_t bytes = std::max<std::uint64_t>(1, vertex_bytes() + primitive_bytes());
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(kMeshWindowBytes / bytes, 1, kMeshWindowGroups));
  }
  bool run_window(MeshWorkspace& workspace, std::uint32_t first, const TaskStream& in, Bound& bound,
                  RunContext& context, Counters& counters) const;
  void read(MeshWorkspace& workspace, RunContext& context, Counters& counters) const;
  bool give(const MeshWorkspace& workspace, const TaskStream& in, const UseStream& use) const;

  const MeshPlan plan;
  const GroupRunner runner;
  Workspaces<MeshWorkspace> workspaces;
};

bool MeshProgram::Impl::run_window(MeshWorkspace& w, std::uint32_t first, const TaskStream& in, Bound& bound,
                                   RunContext& context, Counters& counters) const {
  const bool checked = context.reports.checking();
  make_empty(w.records, w.window.size() * vertex_bytes(), checked);
  make_empty(w.primitives, w.window.size() * primitive_bytes(), checked);
  bind_own(bound.bindings, plan.records, w.records);
  bind_own(bound.bindings, plan.primitive_records, w.primitives);
  if (plan.payload && !in.payload) make_records(w.payload, 4, checked);  // no task shader writes one
  if (plan.payload) bind_own(bound.bindings, *plan.payload, in.payload ? in.payload : w.payload);
  return runner.run(w.window, first, in.draw, w.surfaces, bound, context, counters);
}

/// Several threads read the groups of a window; what they find stands in the groups' order.
void MeshProgram::Impl::read(MeshWorkspace& w, RunContext& context, Counters& counters) const {
  const GroupReader reader(plan, w);
  const std::size_t groups = w.window.size(), pieces = (groups + kPieceGroups - 1) / kPieceGroups;
  if (w.pieces.size() < pieces) w.pieces.resize(pieces);
  (void)for_each_item(context, context.workers, pieces, [&](unsigned, std::uint64_t piece) {
    reader.take(piece * kPieceGroups, std::min(groups, (piece + 1) * kPieceGroups), w.pieces[piece]);
    return true;
  });
  w.made.clear();
  for (std::size_t piece = 0; piece < pieces; ++piece) w.made.add(w.pieces[piece]);
  counters.mesh_invocations += groups * std::uint64_t{plan.local[0]} * plan.local[1] * plan.local[2];
  for (std::size_t group = 0; group < groups; ++group)
    counters.mesh_primitives += std::min(GroupRunner::counts_of(w.surfaces, group)[1], plan.max_primitives);
  if (context.reports.checking()) reader.check(context);
}

bool MeshProgram::Impl::give(const MeshWorkspace& w, const TaskStream& in, const UseStream& use) const {
  if (w.made.tags.empty()) return true;
  PrimitiveStream out;
  out.records = w.records;
  out.stride = plan.stride;
  out.vertices = static_cast<std::uint32_t>(w.made.places.size());
  out.places = w.made.places;
  out.corners = plan.corners;
  out.at = w.made.at;
  out.tags = w.made.tags;
  out.view = in.draw.view;
  out.primitive_records = w.primitives;
  out.primitive_places = w.made.primitive_places;
  return use(out);
}

MeshProgram::MeshProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MeshProgram::~MeshProgram() = default;

std::shared_ptr<const MeshProgram> MeshProgram::create(std::shared_ptr<const Program> program, MeshPlan plan,
                                                       const Bound& slots, const CodeOptions& options) {
  return std::shared_ptr<const MeshProgram>(
      new MeshProgram(std::make_unique<Impl>(std::move(program), std::move(plan), slots, options)));
}

const Program& MeshProgram::program() const { return impl_->runner.program(); }
const MeshPlan& MeshProgram::plan() const { return impl_->plan; }

bool MeshProgram::run(const TaskStream& in, Bound& bound, RunContext& context, Counters& counters,
                      const UseStream& use) const {
  Impl& impl = *impl_;
  auto workspace = impl.workspaces.take();
  if (!workspace) workspace = std::make_unique<MeshWorkspace>();
  MeshWorkspace& w = *workspace;
  const std::size_t most = impl.window_groups();
  GroupCursor cursor(in.tasks);
  bool good = true;
  std::uint32_t first = 0;
  for (cursor.next(most, w.window); good && !w.window.empty(); cursor.next(most, w.window)) {
    good = impl.run_window(w, first, in, bound, context, counters);
    if (!good) break;
    first += static_cast<std::uint32_t>(w.window.size());
    impl.read(w, context, counters);
    good = impl.give(w, in, use);
    if (good) context.budget.progress();
  }
  impl.workspaces.give_back(std::move(workspace));
  return good;
}

}  // namespace heddle::pipeline
