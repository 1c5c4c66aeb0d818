// SPDX-License-Identifier: MIT
// Vertex shaders: one lane a vertex; outputs are records of a raw buffer.
// Rules: SPV-34.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

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
                   [&](const InterfaceVariable& v) { return output(t, v); });
    check_inputs(t);
    surface_ = t.b.surface();
    t.b.interface_line(fmt::format("surface {} vertex_outputs {}", surface_, outputs_.size() * 4));
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      t.b.interface_line(fmt::format("output {} {}", k * 4, outputs_[k].line));
  }

  void end(ShaderContext& t) override {
    if (outputs_.empty()) return;
    const Part base =
        t.b.make("mul", isa::Type::UD, {slot_, ud(static_cast<std::uint32_t>(outputs_.size() * 4))}, "record");
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      Part data = outputs_[k].part;
      if (data.kind == Part::Kind::Undefined) data = ud(0);
      if (isa::type_bytes(data.type) < 4)
        data = carry_converted(t, data,
                               isa::is_float(data.type)    ? isa::Type::F
                               : isa::is_signed(data.type) ? isa::Type::D
                                                           : isa::Type::UD);
      if (data.kind == Part::Kind::Variable && data.stride != 1)
        carry(t, [&] { data = t.b.in_register(data, "data"); });
      else
        data = t.b.in_register(data, "data");
      const Part address =
          k == 0 ? base : t.b.make("add", isa::Type::UD, {base, ud(static_cast<std::uint32_t>(k * 4))}, "record");
      for (const Piece& piece : t.b.pieces(16))
        t.b.instruction("scatter4_scaled.R", piece,
                        {surface_, hexadecimal(isa::Type::UD, 0), t.b.raw(address, piece), t.b.raw(data, piece)});
    }
  }

 private:
  struct Output {
    Part part;
    std::string line;  ///< LOCATION COMPONENT TYPE QUALIFIER NAME
  };

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

  std::vector<Part> output(ShaderContext& t, const InterfaceVariable& v) {
    std::vector<Part> list;
    if (v.builtin) {
      const auto built_in = static_cast<spv::BuiltIn>(*v.builtin);
      list = output_storage(t, v.type, v.name.empty() ? "built_in" : v.name);
      if (built_in == spv::BuiltIn::Position)
        for (unsigned k = 0; k < list.size() && k < 4; ++k)
          outputs_.push_back({list[k], fmt::format("position {} f32 smooth {}", k, v.name)});
      else if (built_in == spv::BuiltIn::PointSize)
        outputs_.push_back({list[0], fmt::format("point_size 0 f32 smooth {}", v.name)});
      else if (built_in == spv::BuiltIn::Layer)
        outputs_.push_back({list[0], fmt::format("layer 0 u32 flat {}", v.name)});
      else if (built_in == spv::BuiltIn::ViewportIndex)
        outputs_.push_back({list[0], fmt::format("viewport 0 u32 flat {}", v.name)});
      else if (built_in == spv::BuiltIn::ClipDistance || built_in == spv::BuiltIn::CullDistance) {
        for (std::size_t k = 0; written(t, v) && k < list.size() && k < 8; ++k)
          outputs_.push_back(
              {list[k],
               fmt::format("{} {} f32 smooth {}",
                           built_in == spv::BuiltIn::ClipDistance ? "clip_distance" : "cull_distance", k, v.name)});
      } else if (built_in != spv::BuiltIn::PrimitiveShadingRateKHR)  // the pipeline's rate stays
        t.refuse(fmt::format("built-in output {} of '{}' is not supported", built_in_name(*v.builtin), v.name));
      return list;
    }
    list = output_storage(t, v.type, v.name.empty() ? fmt::format("out{}", v.location.value_or(0)) : v.name);
    const std::vector<InterfaceScalar> scalars = interface_scalars(t, v);
    for (std::size_t k = 0; k < list.size() && k < scalars.size(); ++k) {
      const InterfaceScalar& s = scalars[k];
      const auto line = [&](std::uint32_t component) {
        return fmt::format("{} {} {} {} {}", s.location, component, interface_type(s.carrier()),
                           s.wide() ? "flat" : v.qualifier, v.name);
      };
      if (s.wide()) {
        outputs_.push_back({narrowed(list[k], isa::Type::UD, 0), line(s.component)});
        outputs_.push_back({narrowed(list[k], isa::Type::UD, 1), line(s.component + 1)});
      } else {
        outputs_.push_back({list[k], line(s.component)});
      }
    }
    return list;
  }

  /// Blocks declare distances that most shaders leave alone.
  static bool written(ShaderContext& t, const InterfaceVariable& v) {
    for (const Instruction& i : t.module.instructions) {
      const auto op = static_cast<spv::Op>(i.opcode);
      if (op == spv::Op::OpName || op == spv::Op::OpDecorate || op == spv::Op::OpEntryPoint) continue;
      if (i.operands.empty() || i.operands[0] != v.variable) continue;
      const bool chain = op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain;
      if (!v.is_member || !chain || i.operands.size() < 2) return true;
      const auto member = t.values.integer(i.operands[1]);
      if (!member || *member == v.member) return true;
    }
    return false;
  }

  Part slot_;
  std::string surface_;
  std::vector<Output> outputs_;
};

}  // namespace

std::unique_ptr<Stage> vertex_stage() { return std::make_unique<Vertex>(); }

}  // namespace heddle::spirv::compiler
