// SPDX-License-Identifier: MIT
// Mesh shaders: work groups that make vertices and primitives; each is a record of a raw buffer, which any invocation
// of the group may write. Rules: MSH-1, MSH-3 to MSH-5.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/stages/mesh_groups.hpp"
#include "spirv/compile/stages/tessellation.hpp"

namespace heddle::spirv::compiler {
namespace {

class Mesh final : public Stage {
 public:
  void begin(ShaderContext& t) override {
    const std::uint32_t vertices = first_of(t, spv::ExecutionMode::OutputVertices),
                        primitives = first_of(t, spv::ExecutionMode::OutputPrimitivesEXT);
    if (std::max(vertices, primitives) > kMaxOutputs || std::min(vertices, primitives) == 0) {
      t.refuse(fmt::format("a group makes {} vertices and {} primitives: there are 1 to {} of each", vertices,
                           primitives, kMaxOutputs));
      t.report.stop();
      return;
    }
    groups_.begin(t);
    const auto& local = groups_.local();
    write_stage_line(t, fmt::format(" {} {} {} {} {} {}", local[0], local[1], local[2], made(t), vertices, primitives));
    groups_.declare_inputs(t);
    if (has_payload(t)) groups_.declare_payload(t, groups_.task_slot(t));
    vertices_.declare(t, {spv::StorageClass::Output, RecordSet::Vertices, "vertex_outputs", "output"},
                      first_record(t, vertices, "first_vertex"));
    primitives_.declare(t, {spv::StorageClass::Output, RecordSet::Primitives, "primitive_outputs", "primitive_output"},
                        first_record(t, primitives, "first_primitive"));
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Output), [&](const InterfaceVariable& v) {
      t.refuse(fmt::format("output '{}' is no array of the group's vertices or primitives", v.name));
      return std::vector<Part>{};
    });
    check_inputs(t);
    t.emission.mesh_size = [&](const Part& vertex_count, const Part& primitive_count) {
      groups_.write_counts(t, {vertex_count, primitive_count});
    };
  }
  void end(ShaderContext&) override {}

 private:
  static constexpr std::uint32_t kMaxOutputs = 1024;

  static std::uint32_t first_of(ShaderContext& t, spv::ExecutionMode mode) {
    const auto found = t.entry.modes.find(static_cast<std::uint32_t>(mode));
    return found == t.entry.modes.end() || found->second.empty() ? 0 : found->second[0];
  }
  static std::string_view made(ShaderContext& t) {
    if (t.entry.has_mode(static_cast<std::uint32_t>(spv::ExecutionMode::OutputPoints))) return "points";
    if (t.entry.has_mode(static_cast<std::uint32_t>(spv::ExecutionMode::OutputLinesEXT))) return "lines";
    return "triangles";
  }
  static bool has_payload(ShaderContext& t) {
    return std::ranges::any_of(t.entry.interface_ids, [&](std::uint32_t id) {
      const Instruction* i = t.module.find(id);
      return i != nullptr && static_cast<spv::Op>(i->opcode) == spv::Op::OpVariable &&
             static_cast<spv::StorageClass>(i->operands[0]) == spv::StorageClass::TaskPayloadWorkgroupEXT;
    });
  }
  /// The number of the group's first record, of so many that each group has.
  [[nodiscard]] Part first_record(ShaderContext& t, std::uint32_t most, std::string_view hint) const {
    const Part first = t.b.lanes(isa::Type::UD, hint);
    t.b.at_start([&] { t.b.op("mul", first, {groups_.slot(), ud(most)}); });
    return first;
  }

  MeshGroups groups_;
  RowVariables vertices_, primitives_;
};

}  // namespace

std::unique_ptr<Stage> mesh_stage() { return std::make_unique<Mesh>(); }

}  // namespace heddle::spirv::compiler
