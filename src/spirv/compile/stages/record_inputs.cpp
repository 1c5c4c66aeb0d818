// SPDX-License-Identifier: MIT
// Rules: SPV-42.
#include "spirv/compile/stages/record_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/names.hpp"

namespace heddle::spirv::compiler {
namespace {

std::string_view builtin_place(std::uint32_t builtin) {
  switch (static_cast<spv::BuiltIn>(builtin)) {
    case spv::BuiltIn::Position:
      return "position";
    case spv::BuiltIn::PointSize:
      return "point_size";
    case spv::BuiltIn::ClipDistance:
      return "clip_distance";
    case spv::BuiltIn::CullDistance:
      return "cull_distance";
    case spv::BuiltIn::Layer:
      return "layer";
    case spv::BuiltIn::ViewportIndex:
      return "viewport";
    case spv::BuiltIn::PrimitiveId:
      return "primitive";
    case spv::BuiltIn::PrimitiveShadingRateKHR:
      return "shading_rate";
    case spv::BuiltIn::CullPrimitiveEXT:
      return "cull_primitive";
    case spv::BuiltIn::PrimitivePointIndicesEXT:
    case spv::BuiltIn::PrimitiveLineIndicesEXT:
    case spv::BuiltIn::PrimitiveTriangleIndicesEXT:
      return "index";
    case spv::BuiltIn::TessLevelOuter:
      return "tess_level_outer";
    case spv::BuiltIn::TessLevelInner:
      return "tess_level_inner";
    default:
      return {};
  }
}

bool is_outer(std::uint32_t builtin) { return static_cast<spv::BuiltIn>(builtin) == spv::BuiltIn::TessLevelOuter; }

/// The records of a primitive's vertices by the number of the vertex, through the table of the primitives' vertices.
/// What a shader names by a constant is looked up once, at its start.
class VertexRecords {
 public:
  VertexRecords(ShaderContext& t, const Part& primitive, std::uint32_t vertices, std::uint32_t most, std::string table)
      : t_(t),
        primitive_(primitive),
        vertices_(std::max(1u, vertices)),
        most_(std::max(1u, most)),
        table_(std::move(table)) {}

  void set_stride(std::uint32_t bytes) { stride_ = bytes; }
  Part place(const Part& number) {
    if (!number.constant()) return look_up(number);
    const auto vertex = static_cast<std::uint32_t>(std::min<std::uint64_t>(number.bits, most_ - 1));
    const auto known = known_.find(vertex);
    if (known != known_.end()) return known->second;
    Part found;
    t_.b.at_start([&] { found = look_up(ud(vertex)); });
    return known_[vertex] = found;
  }

 private:
  Part look_up(const Part& number) {
    VisaWriter& b = t_.b;
    const Part first = b.make("mul", isa::Type::UD, {primitive_, ud(vertices_ * 4)}, "vertices");
    const Part entry =
        number.constant()
            ? b.make("add", isa::Type::UD, {first, ud(static_cast<std::uint32_t>(number.bits) * 4)}, "entry")
            : b.make("add", isa::Type::UD, {first, b.make("shl", isa::Type::UD, {number, ud(2)}, "entry")}, "entry");
    const Part vertex = b.message(16, 1, isa::Type::UD, "vertex", [&](const LaneRange& range, const VisaOperand& dst) {
      b.instruction("gather4_scaled.R", range, {table_, hexadecimal(isa::Type::UD, 0), b.raw(entry, range), dst});
    })[0];
    return b.make("mul", isa::Type::UD, {vertex, ud(stride_)}, "record");
  }

  ShaderContext& t_;
  const Part primitive_;
  const std::uint32_t vertices_, most_;
  const std::string table_;
  std::uint32_t stride_ = 0;
  std::map<std::uint32_t, Part> known_;
};

}  // namespace

void RecordVariables::list(ShaderContext& t, const InterfaceVariable& v, std::uint32_t base) {
  if (!is_mentioned(t, v)) return;
  std::uint32_t at = base;
  std::uint32_t number = 0;
  for (const InterfaceScalar& s : interface_scalars(t, v)) {
    const bool flag = s.type == isa::Type::Bool;
    if (flag && !v.builtin) return t.refuse(fmt::format("'{}': booleans do not travel between stages", v.name));
    for (std::uint32_t half = 0; half < (s.wide() ? 2u : 1u); ++half, ++at, ++number) {
      const std::string place = v.builtin ? fmt::format("{} {}", builtin_place(*v.builtin), number)
                                          : fmt::format("{} {}", s.location, s.component + half);
      list_.push_back({at * 4, &v, fmt::format("{} {}", place, interface_type(flag ? isa::Type::UD : s.carrier()))});
    }
  }
}

void RecordVariables::declare(ShaderContext& t, std::uint32_t storage_class, RecordSet set,
                              const std::shared_ptr<const Records>& records, std::uint32_t reserved) {
  const bool patch = set == RecordSet::Patch;
  for (InterfaceVariable& v : interface_variables(t, storage_class))
    if (patch ? v.patch : v.records != 0 && v.primitive == (set == RecordSet::Primitives))
      variables_.push_back(std::move(v));
  dwords_ = reserved;
  const Instruction* const entry = t.at;
  std::map<std::uint32_t, std::uint32_t> places;  // of variables: the first dword
  for (const InterfaceVariable& v : variables_) {
    const Instruction* i = t.module.find(v.variable);
    t.at = i;
    if (v.builtin && builtin_place(*v.builtin).empty()) {
      t.refuse(fmt::format("built-in {} of '{}' is not supported in {} shaders", built_in_name(*v.builtin), v.name,
                           isa::stage_info(t.entry.stage).name));
      continue;
    }
    const std::uint32_t whole = t.types.of(i->type).element, element = patch ? whole : t.types.of(whole).element;
    const bool fixed = reserved != 0 && v.builtin.has_value();  // the levels stand at the start
    const std::uint32_t next = !fixed ? dwords_ : is_outer(*v.builtin) ? 0 : 4;
    const auto [place, is_new] = places.emplace(v.variable, next);
    if (is_new) {
      if (!fixed) dwords_ += t.layout.natural_size(element, true);
      t.variables.declare(*i);
      const auto pointer = t.values.of(v.variable).pointer;
      if (pointer == nullptr) continue;
      pointer->kind = Pointer::Kind::Record;
      pointer->storage.reset();
      pointer->offset = place->second;
      pointer->records = records;
      pointer->chooses_record = !patch;
      if (patch) pointer->record = records->place({});
    }
    list(t, v, place->second + (v.is_member ? t.layout.member_offset(element, v.member, Pointer::Kind::Record) : 0));
  }
  t.at = entry;
}

void RecordInputs::declare(ShaderContext& t, const Part& primitive, std::uint32_t vertices, std::uint32_t most) {
  auto records = std::make_shared<Records>();
  records->surface = t.b.surface();
  const std::string table = t.b.surface();
  const auto places = std::make_shared<VertexRecords>(t, primitive, vertices, most, table);
  records->place = [places](const Part& number) { return places->place(number); };
  variables_.declare(t, static_cast<std::uint32_t>(spv::StorageClass::Input), RecordSet::Vertices, records);
  places->set_stride(variables_.bytes());
  t.b.interface_line(fmt::format("surface {} vertex_inputs {}", records->surface, variables_.bytes()));
  t.b.interface_line(fmt::format("surface {} primitive_vertices", table));
  for (const RecordDword& d : variables_.dwords())
    t.b.interface_line(fmt::format("record_input {} {} {}", d.offset, d.place, d.variable->name));
}

}  // namespace heddle::spirv::compiler
