// SPDX-License-Identifier: MIT
#include "spirv/compile/stages/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "isa/quad_remark.hpp"
#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/stages/input_room.hpp"
#include "spirv/names.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

std::optional<std::uint32_t> first_word(const std::optional<std::span<const std::uint32_t>>& operands) {
  if (!operands || operands->empty()) return std::nullopt;
  return (*operands)[0];
}

void describe(InterfaceVariable& v,
              const std::function<std::optional<std::span<const std::uint32_t>>(spv::Decoration)>& find) {
  if (const auto word = first_word(find(spv::Decoration::BuiltIn))) v.builtin = word;
  if (const auto word = first_word(find(spv::Decoration::Location))) v.location = word;
  if (const auto word = first_word(find(spv::Decoration::Component))) v.component = *word;
  if (const auto word = first_word(find(spv::Decoration::Index))) v.index = *word;
  if (find(spv::Decoration::PerVertexKHR)) v.per_vertex = true;
  if (const auto word = first_word(find(spv::Decoration::XfbBuffer))) v.capture.buffer = word;
  if (const auto word = first_word(find(spv::Decoration::XfbStride))) v.capture.stride = *word;
  if (const auto word = first_word(find(spv::Decoration::Offset))) v.capture.offset = word;
  if (const auto word = first_word(find(spv::Decoration::Stream))) v.capture.stream = *word;
  const bool linear = find(spv::Decoration::NoPerspective).has_value();
  if (find(spv::Decoration::Flat))
    v.qualifier = "flat";
  else if (find(spv::Decoration::Centroid))
    v.qualifier = linear ? "linear_centroid" : "centroid";
  else if (find(spv::Decoration::Sample))
    v.qualifier = linear ? "linear_sample" : "sample";
  else if (linear)
    v.qualifier = "linear";
}

}  // namespace

namespace {

/// Blocks of patches are decorated by their members. Of built-ins only levels lie in records, whatever is decorated.
bool is_of_patch(ShaderContext& t, const InterfaceVariable& v) {
  if (v.builtin)
    return static_cast<spv::BuiltIn>(*v.builtin) == spv::BuiltIn::TessLevelOuter ||
           static_cast<spv::BuiltIn>(*v.builtin) == spv::BuiltIn::TessLevelInner;
  constexpr auto kPatch = static_cast<std::uint32_t>(spv::Decoration::Patch);
  if (t.annotations.decoration(v.variable, kPatch)) return true;
  std::uint32_t type = v.type;
  while (static_cast<Spv>(t.types.of(type).op) == Spv::OpTypeArray) type = t.types.of(type).element;
  return static_cast<Spv>(t.types.of(type).op) == Spv::OpTypeStruct &&
         t.annotations.member_decoration(type, 0, kPatch).has_value();
}

/// Built-ins that a mesh shader gives its primitives, whatever is decorated.
bool is_of_primitives(std::uint32_t builtin) {
  switch (static_cast<spv::BuiltIn>(builtin)) {
    case spv::BuiltIn::PrimitivePointIndicesEXT:
    case spv::BuiltIn::PrimitiveLineIndicesEXT:
    case spv::BuiltIn::PrimitiveTriangleIndicesEXT:
    case spv::BuiltIn::CullPrimitiveEXT:
    case spv::BuiltIn::PrimitiveId:
    case spv::BuiltIn::Layer:
    case spv::BuiltIn::ViewportIndex:
    case spv::BuiltIn::PrimitiveShadingRateKHR:
      return true;
    default:
      return false;
  }
}

/// MSH-5: outputs of mesh shaders, and the inputs of fragment shaders that take them. Blocks are decorated by their
/// members.
bool is_of_primitives(ShaderContext& t, std::uint32_t storage_class, const InterfaceVariable& v) {
  const bool output = static_cast<spv::StorageClass>(storage_class) == spv::StorageClass::Output;
  if (t.entry.stage != (output ? isa::ShaderStage::Mesh : isa::ShaderStage::Fragment)) return false;
  if (v.builtin) return output && is_of_primitives(*v.builtin);
  constexpr auto kPrimitive = static_cast<std::uint32_t>(spv::Decoration::PerPrimitiveEXT);
  if (t.annotations.decoration(v.variable, kPrimitive)) return true;
  std::uint32_t type = v.type;
  while (static_cast<Spv>(t.types.of(type).op) == Spv::OpTypeArray) type = t.types.of(type).element;
  const TypeInfo info = t.types.of(type);
  if (static_cast<Spv>(info.op) != Spv::OpTypeStruct) return false;
  for (std::uint32_t m = 0; m < info.members.size(); ++m) {
    if (t.annotations.member_decoration(type, m, kPrimitive)) return true;
    const auto builtin =
        first_word(t.annotations.member_decoration(type, m, static_cast<std::uint32_t>(spv::Decoration::BuiltIn)));
    if (output && builtin && is_of_primitives(*builtin)) return true;
  }
  return false;
}

/// Whether each record has an element of a variable of arrays: the vertices' values, as the stages see them that take
/// or make primitives.
bool is_of_records(ShaderContext& t, std::uint32_t storage_class, const InterfaceVariable& v) {
  const bool input = static_cast<spv::StorageClass>(storage_class) == spv::StorageClass::Input;
  switch (t.entry.stage) {
    case isa::ShaderStage::Geometry:
    case isa::ShaderStage::TessellationEvaluation:
      if (!input) return false;
      break;
    case isa::ShaderStage::TessellationControl:
      break;
    case isa::ShaderStage::Mesh:
      if (input) return false;
      break;
    default:
      return false;
  }
  if (static_cast<Spv>(t.types.of(v.type).op) != Spv::OpTypeArray || v.patch) return false;
  if (!v.builtin) return true;
  switch (static_cast<spv::BuiltIn>(*v.builtin)) {
    case spv::BuiltIn::Position:
    case spv::BuiltIn::PointSize:
    case spv::BuiltIn::ClipDistance:
    case spv::BuiltIn::CullDistance:
    case spv::BuiltIn::Layer:
    case spv::BuiltIn::ViewportIndex:
      return true;
    default:
      return is_of_primitives(*v.builtin);
  }
}

}  // namespace

namespace {

bool is_block(ShaderContext& t, std::uint32_t type) {
  return static_cast<Spv>(t.types.of(type).op) == Spv::OpTypeStruct &&
         t.annotations.decoration(type, static_cast<std::uint32_t>(spv::Decoration::Block)).has_value();
}

/// The members of a block, from its location on; the location behind them.
std::uint32_t add_members(ShaderContext& t, const InterfaceVariable& whole, std::vector<InterfaceVariable>& list) {
  const TypeInfo info = t.types.of(whole.type);
  std::uint32_t next = whole.location.value_or(0);
  for (std::uint32_t m = 0; m < info.members.size(); ++m) {
    InterfaceVariable v = whole;
    v.is_member = true;
    v.member = m;
    v.type = info.members[m];
    v.name = t.annotations.member_name(whole.type, m);
    v.location = next;
    describe(v, [&](spv::Decoration kind) {
      return t.annotations.member_decoration(whole.type, m, static_cast<std::uint32_t>(kind));
    });
    if (whole.primitive) v.qualifier = "flat";
    if (v.builtin) v.location.reset();
    if (v.location) {
      std::uint32_t last = *v.location;
      for (const InterfaceScalar& s : interface_scalars(t, v)) last = std::max(last, s.location);
      next = last + 1;
    }
    list.push_back(v);
  }
  return next;
}

/// SPV-43: each block of an array is captured to a buffer of its own, one behind the other. False: it is no such array.
bool add_captured_blocks(ShaderContext& t, const InterfaceVariable& whole, std::vector<InterfaceVariable>& list) {
  const TypeInfo array = t.types.of(whole.type);
  if (array.flat == 0 || array.flat > base::kValueScalars || array.count > base::kMaxCaptureBuffers) return false;
  if (whole.records != 0 || whole.patch || static_cast<Spv>(array.op) != Spv::OpTypeArray ||
      !is_block(t, array.element))
    return false;
  std::vector<InterfaceVariable> members;
  InterfaceVariable block = whole;
  block.type = array.element;
  for (std::uint32_t k = 0; k < array.count; ++k) {
    const std::size_t first = members.size();
    block.location = add_members(t, block, members);
    for (std::size_t m = first; m < members.size(); ++m) {
      members[m].is_member = false;  // access chains have the block's number before the member's
      if (members[m].capture.buffer) *members[m].capture.buffer += k;
    }
  }
  if (std::ranges::none_of(members, [](const InterfaceVariable& m) { return m.capture.buffer.has_value(); }))
    return false;
  list.insert(list.end(), members.begin(), members.end());
  return true;
}

}  // namespace

std::vector<InterfaceVariable> interface_variables(ShaderContext& t, std::uint32_t storage_class) {
  std::vector<InterfaceVariable> list;
  for (const std::uint32_t id : t.entry.interface_ids) {
    const Instruction* i = t.module.find(id);
    if (i == nullptr || static_cast<Spv>(i->opcode) != Spv::OpVariable || i->operands[0] != storage_class) continue;
    InterfaceVariable whole;
    whole.variable = id;
    whole.type = t.types.of(i->type).element;
    whole.name = t.annotations.name_of(id, "");
    describe(whole,
             [&](spv::Decoration kind) { return t.annotations.decoration(id, static_cast<std::uint32_t>(kind)); });
    whole.patch = is_of_patch(t, whole);
    whole.primitive = is_of_primitives(t, storage_class, whole);
    if (is_of_records(t, storage_class, whole)) {
      whole.records = std::max(1u, t.types.of(whole.type).count);
      whole.type = t.types.of(whole.type).element;
    }
    if (whole.primitive) whole.qualifier = "flat";
    if (!is_block(t, whole.type)) {
      if (!add_captured_blocks(t, whole, list)) list.push_back(whole);
      continue;
    }
    (void)add_members(t, whole, list);
  }
  return list;
}

bool is_mentioned(ShaderContext& t, const InterfaceVariable& v) {
  const std::size_t place = v.records != 0 ? 2 : 1;  // of the member, among the operands
  bool in_functions = false;
  for (const Instruction& i : t.module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    in_functions = in_functions || op == Spv::OpFunction;
    // Of all others behind here the first operand is an id.
    if (!in_functions || i.operands.empty() || op == Spv::OpFunction || op == Spv::OpVariable) continue;
    const bool anywhere = op == Spv::OpFunctionCall || op == Spv::OpCopyMemory;
    if (i.operands[0] != v.variable && !(anywhere && std::ranges::find(i.operands, v.variable) != i.operands.end()))
      continue;
    const bool chain = op == Spv::OpAccessChain || op == Spv::OpInBoundsAccessChain;
    if (!v.is_member || !chain || i.operands.size() <= place) return true;
    const auto member = t.values.integer(i.operands[place]);
    if (!member || *member == v.member) return true;
  }
  return false;
}

std::uint32_t components_read(ShaderContext& t, std::uint32_t variable) {
  const std::uint32_t type = t.types.of(t.module.type_of(variable)).element;
  if (static_cast<Spv>(t.types.of(type).op) != Spv::OpTypeVector) return ~0u;
  std::uint32_t read = 0;
  for (const Instruction& i : t.module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpName || op == Spv::OpDecorate || op == Spv::OpEntryPoint || op == Spv::OpVariable) continue;
    if (std::find(i.operands.begin(), i.operands.end(), variable) == i.operands.end()) continue;
    const bool chain = (op == Spv::OpAccessChain || op == Spv::OpInBoundsAccessChain) && i.operands.size() == 2 &&
                       i.operands[0] == variable;
    const auto index = chain ? t.values.integer(i.operands[1]) : std::nullopt;
    if (!index || *index > 31) return ~0u;
    read |= 1u << *index;
  }
  return read;
}

isa::Type InterfaceScalar::carrier() const {
  if (wide()) return isa::Type::UD;
  if (isa::is_float(type)) return isa::Type::F;
  return isa::is_signed(type) ? isa::Type::D : isa::Type::UD;
}

std::vector<InterfaceScalar> interface_scalars(ShaderContext& t, const InterfaceVariable& v) {
  std::vector<InterfaceScalar> list;
  std::uint32_t location = v.location.value_or(0);
  std::string_view qualifier = v.qualifier;
  const std::function<void(std::uint32_t)> walk = [&](std::uint32_t id) {
    const TypeInfo info = t.types.of(id);
    switch (static_cast<Spv>(info.op)) {
      case Spv::OpTypeArray:
      case Spv::OpTypeMatrix:
        for (std::uint32_t k = 0; k < info.count; ++k) walk(info.element);
        return;
      case Spv::OpTypeStruct:
        for (const std::uint32_t member : info.members) walk(member);
        return;
      default: {
        const std::uint32_t count = static_cast<Spv>(info.op) == Spv::OpTypeVector ? info.count : 1;
        const std::uint32_t step = info.scalar != isa::Type::Bool && isa::type_bytes(info.scalar) == 8 ? 2 : 1;
        std::uint32_t place = v.component;
        for (std::uint32_t c = 0; c < count; ++c, place += step)
          list.push_back({location + place / 4, place % 4, info.scalar, qualifier});
        location += std::max(1u, (place + 3) / 4);
      }
    }
  };
  if (t.types.of(v.type).flat > base::kValueScalars) return list;
  if (!v.per_vertex) {
    walk(v.type);
    return list;
  }
  static constexpr std::string_view kVertices[] = {"vertex0", "vertex1", "vertex2"};
  for (const std::string_view vertex : kVertices) {
    qualifier = vertex;
    location = v.location.value_or(0);
    walk(t.types.of(v.type).element);
  }
  return list;
}

namespace {

/// Whether the scalars of all variables of a class are few enough to be held; else an error has been reported.
bool interface_fits(ShaderContext& t, std::uint32_t storage_class, std::span<const InterfaceVariable> variables) {
  std::uint64_t scalars = 0;
  for (const InterfaceVariable& v : variables) {
    if (v.location.value_or(0) >= base::kLocations) {
      t.at = t.module.find(v.variable);
      t.refuse(fmt::format("'{}' has location {}: locations lie below {}", v.name, *v.location, base::kLocations));
      return false;
    }
    scalars += t.types.of(v.type).flat;
    if (scalars <= base::kValueScalars) continue;
    const bool input = static_cast<spv::StorageClass>(storage_class) == spv::StorageClass::Input;
    t.report.limit(*t.module.find(v.variable), fmt::format("with '{}' the {}s of the shader have more than {} scalars",
                                                           v.name, input ? "input" : "output", base::kValueScalars));
    return false;
  }
  return true;
}

}  // namespace

void fill_variables(ShaderContext& t, std::uint32_t storage_class,
                    const std::function<std::vector<Part>(const InterfaceVariable&)>& fill) {
  std::map<std::uint32_t, std::vector<Part>> parts;
  const std::vector<InterfaceVariable> variables = interface_variables(t, storage_class);
  if (!interface_fits(t, storage_class, variables)) {
    t.report.stop();
    return;
  }
  const Instruction* const entry = t.at;
  for (const InterfaceVariable& v : variables) {
    if (v.records != 0 || v.patch) continue;
    std::vector<Part>& all = parts[v.variable];
    t.at = t.module.find(v.variable);
    std::vector<Part> some = fill(v);
    const std::vector<isa::Type> types = t.types.scalars(v.type);
    some.resize(types.size());
    for (std::size_t k = 0; k < types.size(); ++k)
      if (some[k].kind == Part::Kind::Undefined) some[k].type = types[k];
    all.insert(all.end(), some.begin(), some.end());
  }
  t.at = entry;
  for (auto& [id, list] : parts) {
    const Instruction* i = t.module.find(id);
    t.variables.declare(*i);
    const auto pointer = t.values.of(id).pointer;
    if (pointer == nullptr || pointer->storage == nullptr) continue;
    *pointer->storage = std::move(list);
    if (static_cast<spv::StorageClass>(storage_class) == spv::StorageClass::Output && i->operands.size() > 1)
      t.memory.store(*pointer, t.values.of(i->operands[1]));
  }
}

void check_inputs(ShaderContext& t) {
  if (inputs_fit(t)) return;
  t.refuse(fmt::format("the inputs need more than {} registers", kMaxInputBytes / t.b.grf()));
  t.report.stop();
}

std::string_view interface_type(isa::Type type) {
  switch (type) {
    case isa::Type::D:
      return "i32";
    case isa::Type::UD:
      return "u32";
    case isa::Type::Q:
      return "i64";
    case isa::Type::UQ:
      return "u64";
    case isa::Type::DF:
      return "f64";
    default:
      return "f32";
  }
}

Part declare_input(ShaderContext& t, const InterfaceVariable& v, const InterfaceScalar& s, bool whole) {
  static constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
  const std::string name = v.name.empty() ? fmt::format("in{}", s.location) : v.name;
  const auto declare = [&](isa::Type type, std::uint32_t component) {
    const Part p = t.inputs.add(type, fmt::format("{}_{}", name, kComponents[component % 4]));
    t.b.interface_line(fmt::format("input {} {} {} {} {} {}", t.b.name(p), s.location, component, interface_type(type),
                                   s.qualifier, v.name));
    return p;
  };
  if (s.wide() && whole) return declare(s.type, s.component);
  const Part carried = declare(s.carrier(), s.component);
  if (!s.wide() && isa::type_bytes(s.type) == 4) return carried;
  Part value;
  if (s.wide()) {
    const Part high = declare(s.carrier(), s.component + 1);
    t.b.at_start([&] { carry(t, [&] { value = join(t.b, s.type, carried, high, name); }); });
  } else {
    t.b.at_start([&] { carry(t, [&] { value = t.b.convert(carried, s.type, name); }); });
  }
  return value;
}

Part unread_input(ShaderContext& t, const InterfaceVariable& v, const InterfaceScalar& s, bool whole, bool others) {
  for (std::uint32_t k = 0; others && k < (s.wide() && !whole ? 2u : 1u); ++k)
    t.b.interface_line(fmt::format("unread {} {} {}", s.location, s.component + k, v.name));
  return constant(s.type, 0);
}

std::vector<Part> common_builtin(ShaderContext& t, std::uint32_t builtin) {
  const Part lane = t.b.lane_numbers();
  const auto mask = [&](auto make) {
    std::vector<Part> words;
    Part first;
    t.b.at_start([&] { first = make(); });
    words.push_back(first);
    for (int k = 1; k < 4; ++k) words.push_back(ud(0));
    return words;
  };
  const auto bit = [&] { return t.b.make("shl", isa::Type::UD, {t.b.copy(ud(1), "one"), lane}, "lane_bit"); };
  const std::uint32_t all = t.b.simd() == 32 ? 0xffffffffu : (1u << t.b.simd()) - 1;
  switch (static_cast<spv::BuiltIn>(builtin)) {
    case spv::BuiltIn::DeviceIndex:
      return {ud(0)};
    case spv::BuiltIn::SubgroupSize:
      return {ud(t.b.simd())};
    case spv::BuiltIn::SubgroupLocalInvocationId:
      return {lane};
    case spv::BuiltIn::SubgroupEqMask:
      return mask([&] { return bit(); });
    case spv::BuiltIn::SubgroupLtMask:
      return mask([&] {
        return t.b.make("add", isa::Type::UD, {bit().as(isa::Type::D), constant(isa::Type::D, 0xffffffffu)}, "below");
      });
    case spv::BuiltIn::SubgroupLeMask:
      return mask([&] {
        const Part one = bit();
        const Part below =
            t.b.make("add", isa::Type::D, {one.as(isa::Type::D), constant(isa::Type::D, 0xffffffffu)}, "below");
        return t.b.make("or", isa::Type::UD, {one, below.as(isa::Type::UD)}, "to_here");
      });
    case spv::BuiltIn::SubgroupGeMask:
      return mask([&] {
        const Part below =
            t.b.make("add", isa::Type::D, {bit().as(isa::Type::D), constant(isa::Type::D, 0xffffffffu)}, "below");
        const Part rest = t.b.make("not", isa::Type::UD, {below.as(isa::Type::UD)}, "from_here");
        return t.b.make("and", isa::Type::UD, {rest, ud(all)}, "from_here");
      });
    case spv::BuiltIn::SubgroupGtMask:
      return mask([&] {
        const Part one = bit();
        const Part below =
            t.b.make("add", isa::Type::D, {one.as(isa::Type::D), constant(isa::Type::D, 0xffffffffu)}, "below");
        const Part here = t.b.make("or", isa::Type::UD, {one, below.as(isa::Type::UD)}, "to_here");
        const Part rest = t.b.make("not", isa::Type::UD, {here}, "above");
        return t.b.make("and", isa::Type::UD, {rest, ud(all)}, "above");
      });
    default:
      return {};
  }
}

void carry(ShaderContext& t, const std::function<void()>& moves) {
  t.b.remark(isa::kCarryRemark);
  moves();
  t.b.remark(isa::kCarryEndRemark);
}

Part carry_converted(ShaderContext& t, const Part& value, isa::Type type, std::string_view hint) {
  if (value.kind != Part::Kind::Variable) return t.b.convert(value, type);
  const std::string name = hint.empty() ? t.b.name(value) : std::string(hint);
  Part converted;
  carry(t, [&] { converted = t.b.convert(value, type, name); });
  return converted;
}

std::vector<Part> output_storage(ShaderContext& t, std::uint32_t type, const std::string& name) {
  const std::vector<Part> list = *t.variables.storage(type, name);
  t.b.at_start([&] {
    for (const Part& part : list) {
      const bool unwritten = part.kind == Part::Kind::Variable;
      if (unwritten) t.b.remark(isa::kStandInRemark);
      t.b.move(part, constant(part.type, 0));
      if (unwritten) t.b.remark(isa::kStandInEndRemark);
    }
  });
  return list;
}

bool sees_lanes(const Module& module) {
  return std::ranges::any_of(module.instructions, [](const Instruction& i) {
    if (static_cast<spv::Op>(i.opcode) != spv::Op::OpCapability || i.operands.empty()) return false;
    const std::string name = capability_name(i.operands[0]);
    return name.starts_with("Group") || name.starts_with("Subgroup");
  });
}

bool sees_neighbors(const Module& module) {
  return std::ranges::any_of(module.instructions, [](const Instruction& i) {
    if (is_quad_vote(i.opcode)) return true;  // QuadControlKHR alone allows them
    switch (static_cast<spv::Op>(i.opcode)) {
      case spv::Op::OpDPdx:
      case spv::Op::OpDPdy:
      case spv::Op::OpFwidth:
      case spv::Op::OpDPdxFine:
      case spv::Op::OpDPdyFine:
      case spv::Op::OpFwidthFine:
      case spv::Op::OpDPdxCoarse:
      case spv::Op::OpDPdyCoarse:
      case spv::Op::OpFwidthCoarse:
      case spv::Op::OpImageSampleImplicitLod:
      case spv::Op::OpImageSampleDrefImplicitLod:
      case spv::Op::OpImageSampleProjImplicitLod:
      case spv::Op::OpImageSampleProjDrefImplicitLod:
      case spv::Op::OpImageSparseSampleImplicitLod:
      case spv::Op::OpImageSparseSampleDrefImplicitLod:
      case spv::Op::OpImageSampleFootprintNV:
      case spv::Op::OpImageQueryLod:
        return true;
      case spv::Op::OpCapability:  // to the places of InterpolateAtOffset inputs are carried on by derivatives
        return !i.operands.empty() &&
               (i.operands[0] == static_cast<std::uint32_t>(spv::Capability::InterpolationFunction) ||
                i.operands[0] == static_cast<std::uint32_t>(spv::Capability::ImageGatherBiasLodAMD));
      default:
        return false;
    }
  });
}

void write_stage_line(ShaderContext& t, std::string_view rest) {
  t.b.interface_line(fmt::format("stage {}{}", isa::stage_info(t.entry.stage).name, rest));
}

namespace {

using Make = std::unique_ptr<Stage> (*)();
constexpr isa::PerStage<Make> kMakers = [] {
  isa::PerStage<Make> makers;
  makers[isa::ShaderStage::Vertex] = vertex_stage;
  makers[isa::ShaderStage::TessellationControl] = tessellation_control_stage;
  makers[isa::ShaderStage::TessellationEvaluation] = tessellation_evaluation_stage;
  makers[isa::ShaderStage::Geometry] = geometry_stage;
  makers[isa::ShaderStage::Task] = task_stage;
  makers[isa::ShaderStage::Mesh] = mesh_stage;
  makers[isa::ShaderStage::Fragment] = fragment_stage;
  makers[isa::ShaderStage::Compute] = compute_stage;
  return makers;
}();
static_assert(std::ranges::all_of(isa::kShaderStages,
                                  [](const isa::ShaderStageInfo& row) {
                                    return row.compiled == (kMakers[row.stage] != nullptr);
                                  }),
              "a stage that is compiled has a class here");

}  // namespace

std::unique_ptr<Stage> make_stage(isa::ShaderStage stage) {
  return kMakers[stage] != nullptr ? kMakers[stage]() : nullptr;
}

}  // namespace heddle::spirv::compiler
