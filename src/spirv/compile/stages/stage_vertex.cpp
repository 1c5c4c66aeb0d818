// SPDX-License-Identifier: MIT
// Vertex shaders: one lane a vertex; outputs are records of a raw buffer.
// Rules: SPV-34.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/stages/record_outputs.hpp"
#include "spirv/compile/stages/stage.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {
namespace {

class Vertex final : public Stage {
 public:
  void begin(ShaderContext& t) override {
    write_stage_line(t);
    t.inputs.begin_at(t.b.grf());
    slot_ = value(t, "slot");
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Input),
                   [&](const InterfaceVariable& v) { return input(t, v); });
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Output),
                   [&](const InterfaceVariable& v) { return outputs_.declare(t, v); });
    check_inputs(t);
    outputs_.describe(t);
    if (sees_lanes(t.module) || sees_neighbors(t.module)) t.b.interface_line("sees_lanes");
  }

  void end(ShaderContext& t) override {
    if (outputs_.bytes() == 0) return;
    outputs_.write(t, t.b.make("mul", isa::Type::UD, {slot_, ud(outputs_.bytes())}, "record"), {});
  }

 private:
  static Part value(ShaderContext& t, std::string_view word) {
    const Part p = t.inputs.add(isa::Type::UD, word);
    t.b.interface_line(fmt::format("value {} {}", t.b.name(p), word));
    return p;
  }

  std::vector<Part> input(ShaderContext& t, const InterfaceVariable& v) {
    std::vector<Part> list;
    if (v.builtin) {
      switch (static_cast<spv::BuiltIn>(*v.builtin)) {
        case spv::BuiltIn::VertexIndex:
          return {value(t, "vertex")};
        case spv::BuiltIn::InstanceIndex:
          return {value(t, "instance")};
        case spv::BuiltIn::BaseVertex:
          return {value(t, "base_vertex")};
        case spv::BuiltIn::BaseInstance:
          return {value(t, "base_instance")};
        case spv::BuiltIn::DrawIndex:
          return {value(t, "draw")};
        case spv::BuiltIn::ViewIndex:
          return {value(t, "view")};
        default:
          list = common_builtin(t, *v.builtin);
          if (list.empty())
            t.refuse(fmt::format("built-in input {} of '{}' is not supported in vertex shaders",
                                 built_in_name(*v.builtin), v.name));
          return list;
      }
    }
    const std::uint32_t read = v.is_member ? ~0u : components_read(t, v.variable);
    const std::vector<InterfaceScalar> scalars = interface_scalars(t, v);
    for (std::size_t k = 0; k < scalars.size(); ++k) {
      const InterfaceScalar& s = scalars[k];
      if (read != ~0u && (read >> k & 1u) == 0)
        list.push_back(unread_input(t, v, s, true, read != 0));
      else if (s.type == isa::Type::Bool)
        t.refuse(fmt::format("input '{}': vertices have no booleans", v.name));
      else
        list.push_back(declare_input(t, v, s, true));
    }
    return list;
  }

  Part slot_;
  RecordOutputs outputs_;
};

}  // namespace

std::unique_ptr<Stage> vertex_stage() { return std::make_unique<Vertex>(); }

}  // namespace heddle::spirv::compiler
