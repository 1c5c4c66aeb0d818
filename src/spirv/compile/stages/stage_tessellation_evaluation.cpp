// SPDX-License-Identifier: MIT
// Tessellation evaluation shaders: one lane a point of a patch's domain; inputs are the records of the control shader,
// outputs those of a vertex.
// Rules: SPV-34, TES-12, TES-13.
#include <fmt/format.h>

#include "spirv/compile/stages/record_outputs.hpp"
#include "spirv/compile/stages/tessellation.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {
namespace {

class TessellationEvaluation final : public Stage {
 public:
  void begin(ShaderContext& t) override {
    write_stage_line(t);
    write_tessellation_line(t);
    t.inputs.begin_at(t.b.grf());
    slot_ = dispatched(t, isa::Type::UD, "slot");
    const Part patch = dispatched(t, isa::Type::UD, "primitive_slot"),
               first = dispatched(t, isa::Type::UD, "first_corner");
    vertices_.declare(t, {spv::StorageClass::Input, RecordSet::Vertices, "vertex_inputs", "record_input"}, first);
    patch_.declare(t, {spv::StorageClass::Input, RecordSet::Patch, "patch_inputs", "patch_input"}, patch);
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Input),
                   [&](const InterfaceVariable& v) { return input(t, v); });
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Output),
                   [&](const InterfaceVariable& v) { return outputs_.declare(t, v); });
    check_inputs(t);
    outputs_.describe(t);
  }

  void end(ShaderContext& t) override {
    if (outputs_.bytes() == 0) return;
    outputs_.write(t, t.b.make("mul", isa::Type::UD, {slot_, ud(outputs_.bytes())}, "record"), {});
  }

 private:
  static std::vector<Part> input(ShaderContext& t, const InterfaceVariable& v) {
    if (!v.builtin) {
      t.refuse(fmt::format("input '{}' is neither an array of the patch's vertices nor one of the patch", v.name));
      return {};
    }
    switch (static_cast<spv::BuiltIn>(*v.builtin)) {
      case spv::BuiltIn::TessCoord: {
        std::vector<Part> list;
        const std::uint32_t read = components_read(t, v.variable);
        for (unsigned k = 0; k < 3; ++k)
          list.push_back((read >> k & 1u) == 0 ? constant(isa::Type::F, 0)
                                               : dispatched(t, isa::Type::F, fmt::format("tess_coord.{}", "xyz"[k])));
        return list;
      }
      case spv::BuiltIn::PrimitiveId:
        return {dispatched(t, isa::Type::UD, "primitive")};
      case spv::BuiltIn::PatchVertices:
        return {dispatched(t, isa::Type::UD, "patch_vertices")};
      case spv::BuiltIn::ViewIndex:
        return {dispatched(t, isa::Type::UD, "view")};
      default: {
        std::vector<Part> list = common_builtin(t, *v.builtin);
        if (list.empty())
          t.refuse(fmt::format("built-in input {} of '{}' is not supported in tessellation evaluation shaders",
                               built_in_name(*v.builtin), v.name));
        return list;
      }
    }
  }

  Part slot_;
  RowVariables vertices_, patch_;
  RecordOutputs outputs_;
};

}  // namespace

std::unique_ptr<Stage> tessellation_evaluation_stage() { return std::make_unique<TessellationEvaluation>(); }

}  // namespace heddle::spirv::compiler
