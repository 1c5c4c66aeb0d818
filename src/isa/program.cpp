// SPDX-License-Identifier: MIT
// Rules: ENC-7, ENC-8, ENC-10.
#include "isa/program.hpp"

#include "isa/attributes.hpp"

#include <array>

#include "isa/modifier.hpp"

namespace heddle::isa {

std::string region_text(Region region, bool destination) {
  const auto part = [](int value) { return value < 0 ? std::string() : std::to_string(value); };
  if (destination || (region.v() == -1 && region.w() == -1)) return "<" + part(region.h()) + ">";
  const std::string row = part(region.w()) + "," + part(region.h());
  return region.v() == -1 ? "<" + row + ">" : "<" + part(region.v()) + ";" + row + ">";
}

namespace {

constexpr std::array<Predefined, kPredefinedVariables> kVariables = {{
    {"%null", Type::UD, 1, 1, true},
    {"%thread_x", Type::UW, 1, 1, true},
    {"%thread_y", Type::UW, 1, 1, true},
    {"%group_id_x", Type::UD, 1, 1, true},
    {"%group_id_y", Type::UD, 1, 1, true},
    {"%group_id_z", Type::UD, 1, 1, true},
    {"%tsc", Type::UD, 5, 5, true},  // element 4, the pause counter, may be written
    {"%r0", Type::UD, 8, 8, true},
    {"%arg", Type::UD, 256, 512, false},
    {"%retval", Type::UD, 96, 192, false},
    {"%sp", Type::UQ, 1, 1, false},
    {"%fp", Type::UQ, 1, 1, false},
    {"%hw_id", Type::UD, 1, 1, true},
    {"%sr0", Type::UD, 4, 4, false},
    {"%cr0", Type::UD, 1, 1, false},
    {"%ce0", Type::UD, 1, 1, true},
    {"%dbg0", Type::UD, 2, 2, false},
    {"%color", Type::UW, 1, 1, true},
    {"%impl_arg_buf_ptr", Type::UQ, 1, 1, false},
    {"%local_id_buf_ptr", Type::UQ, 1, 1, false},
    {"%msg0", Type::UD, 3, 3, false},
}};
constexpr std::array<std::string_view, kFirstSurface> kSurfaces = {"%slm", "T1", "T2", "TSS", "%bss", "%scratch"};

}  // namespace

std::span<const Predefined> predefined_variables() { return kVariables; }
std::span<const std::string_view> predefined_surfaces() { return kSurfaces; }

std::string_view current_attribute_name(std::string_view name) {
  if (name == "AsmName") return "OutputAsmPath";
  if (name == "perThreadInputSize") return "PerThreadInputSize";
  if (name == "crossThreadInputSize") return "CrossThreadInputSize";
  return name;
}

const Attribute* Object::attribute(std::string_view attribute_name) const {
  for (const Attribute& a : attributes)
    if (a.name == attribute_name || current_attribute_name(a.name) == attribute_name) return &a;
  return nullptr;
}

std::optional<std::int64_t> Object::integer_attribute(std::string_view attribute_name) const {
  const Attribute* a = attribute(attribute_name);
  if (a == nullptr || a->is_string || a->value.size() > 8) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < a->value.size(); ++i) value |= static_cast<std::uint64_t>(a->value[i]) << (8 * i);
  return static_cast<std::int64_t>(value);
}

bool variable_exists(const Object& object, std::uint32_t index) {
  return index < kPredefinedVariables || (index >= kFirstVariable && index - kFirstVariable < object.variables.size());
}

Type variable_type(const Object& object, std::uint32_t index) {
  return index < kPredefinedVariables ? kVariables[index].type : object.variables[index - kFirstVariable].type;
}

std::optional<VariableInfo> variable_info(const Object& object, std::uint32_t index, unsigned grf_bytes) {
  if (!variable_exists(object, index)) return std::nullopt;
  VariableInfo info{};
  const auto bytes_of = [&](std::uint32_t i) -> std::uint32_t {
    if (i < kPredefinedVariables)
      return (grf_bytes == 64 ? kVariables[i].elements_64 : kVariables[i].elements) * type_bytes(kVariables[i].type);
    const GeneralVariable& v = object.variables[i - kFirstVariable];
    return v.elements * type_bytes(v.type);
  };
  if (index < kPredefinedVariables) {
    const Predefined& p = kVariables[index];
    info = {p.type, grf_bytes == 64 ? p.elements_64 : p.elements, bytes_of(index), index, 0, bytes_of(index), p.name};
    return info;
  }
  const GeneralVariable& v = object.variables[index - kFirstVariable];
  info.type = v.type;
  info.elements = v.elements;
  info.bytes = bytes_of(index);
  info.name = v.name;
  std::uint32_t at = index, offset = 0;
  for (std::size_t hops = 0; at >= kFirstVariable && object.variables[at - kFirstVariable].alias != 0; ++hops) {
    const GeneralVariable& a = object.variables[at - kFirstVariable];
    offset += a.alias_offset;
    at = a.alias;
    if (!variable_exists(object, at) || hops > object.variables.size()) return std::nullopt;
  }
  info.root = at;
  info.root_offset = offset;
  info.root_bytes = bytes_of(at);
  return info;
}

base::Place place_of(const Program& program, const Position& position, std::uint32_t length) {
  if (position.line != 0) return base::Place::text(program.file, position.line, position.column, length);
  return base::Place::binary(program.file, position.offset, length);
}

base::Place place_of(const Program& program, const Object& object, const Instruction& instruction) {
  base::Place place = place_of(program, instruction.position, instruction.length);
  place.object = object.name;
  place.instruction = static_cast<std::uint32_t>(&instruction - object.instructions.data());
  return place;
}

base::Place place_of(const Program& program, const Object& object, const Instruction& instruction,
                     const Operand& operand) {
  base::Place place = place_of(program, object, instruction);
  if (operand.at == 0 && operand.length == 0) return place;
  if (place.kind == base::Place::Kind::Text)
    place.column = operand.at;
  else
    place.offset += operand.at;
  place.length = operand.length;
  return place;
}

}  // namespace heddle::isa
