// SPDX-License-Identifier: MIT
// Tessellation control shaders: one lane an invocation, those of a patch in one thread; outputs are records of control
// points and of patches, which every invocation of the patch may read.
// Rules: TES-11 to TES-13.
#include <fmt/format.h>

#include <algorithm>

#include "spirv/compile/stages/tessellation.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {
namespace {

constexpr std::uint32_t kMaxPatchVertices = 32;

class TessellationControl final : public Stage {
 public:
  void begin(ShaderContext& t) override {
    const auto mode = t.entry.modes.find(static_cast<std::uint32_t>(spv::ExecutionMode::OutputVertices));
    const std::uint32_t vertices = mode == t.entry.modes.end() || mode->second.empty() ? 1 : mode->second[0];
    if (vertices == 0 || vertices > kMaxPatchVertices) {
      t.refuse(fmt::format("a patch of {} output vertices: there are 1 to {}", vertices, kMaxPatchVertices));
      t.report.stop();
      return;
    }
    write_stage_line(t, fmt::format(" {}", vertices));
    write_tessellation_line(t);
    t.inputs.begin_at(t.b.grf());
    const Part slot = dispatched(t, isa::Type::UD, "slot");
    inputs_.declare(t, dispatched(t, isa::Type::UD, "first_corner"), 1, kMaxPatchVertices);
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Input),
                   [&](const InterfaceVariable& v) { return input(t, v); });
    const Part first = t.b.lanes(isa::Type::UD, "first_vertex");
    t.b.at_start([&] { t.b.op("mul", first, {slot, ud(vertices)}); });
    vertices_.declare(t, {spv::StorageClass::Output, RecordSet::Vertices, "vertex_outputs", "output"}, first);
    patch_.declare(t, {spv::StorageClass::Output, RecordSet::Patch, "patch_outputs", "patch_output"}, slot,
                   kLevelDwords);
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Output), [&](const InterfaceVariable& v) {
      t.refuse(fmt::format("output '{}' is neither an array of the patch's vertices nor one of the patch", v.name));
      return std::vector<Part>{};
    });
    check_inputs(t);
  }

  void end(ShaderContext&) override {}

 private:
  static std::vector<Part> input(ShaderContext& t, const InterfaceVariable& v) {
    if (!v.builtin) {
      t.refuse(fmt::format("input '{}' is no array of the patch's vertices", v.name));
      return {};
    }
    switch (static_cast<spv::BuiltIn>(*v.builtin)) {
      case spv::BuiltIn::InvocationId:
        return {dispatched(t, isa::Type::UD, "invocation")};
      case spv::BuiltIn::PrimitiveId:
        return {dispatched(t, isa::Type::UD, "primitive")};
      case spv::BuiltIn::PatchVertices:
        return {dispatched(t, isa::Type::UD, "patch_vertices")};
      case spv::BuiltIn::ViewIndex:
        return {dispatched(t, isa::Type::UD, "view")};
      default: {
        std::vector<Part> list = common_builtin(t, *v.builtin);
        if (list.empty())
          t.refuse(fmt::format("built-in input {} of '{}' is not supported in tessellation control shaders",
                               built_in_name(*v.builtin), v.name));
        return list;
      }
    }
  }

  RecordInputs inputs_;
  RowVariables vertices_, patch_;
};

}  // namespace

std::unique_ptr<Stage> tessellation_control_stage() { return std::make_unique<TessellationControl>(); }

}  // namespace heddle::spirv::compiler
