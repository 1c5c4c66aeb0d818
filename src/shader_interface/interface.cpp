// SPDX-License-Identifier: MIT
#include "shader_interface/interface.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace heddle::shader_interface {

using pipeline::ComponentType;

std::uint64_t MemberType::value_count() const {
  std::uint64_t count = std::uint64_t{components} * columns;
  for (const auto& [elements, stride] : arrays) count *= std::max(1u, elements);
  return opaque != 0 ? 0 : count;
}

std::uint64_t MemberType::value_bytes() const {
  const std::uint64_t vectors = row_major ? components : columns, lanes = row_major ? columns : components;
  return (vectors - 1) * column_stride + lanes * element_bytes(element);
}

std::uint64_t MemberType::bytes() const {
  if (opaque != 0) return opaque;
  std::uint64_t size = value_bytes();
  for (const auto& [elements, stride] : arrays) size += std::uint64_t{std::max(1u, elements) - 1} * stride;
  return size;
}

std::uint64_t SurfaceLine::block_bytes() const {
  std::uint64_t end = 0;
  for (const BlockMember& member : members) end = std::max(end, member.offset + member.type.bytes());
  return end;
}

const SurfaceLine* ShaderInterface::surface(std::uint32_t variable) const {
  for (const SurfaceLine& line : surfaces)
    if (line.variable == variable) return &line;
  return nullptr;
}

const SamplerLine* ShaderInterface::sampler(std::uint32_t variable) const {
  for (const SamplerLine& line : samplers)
    if (line.variable == variable) return &line;
  return nullptr;
}

const SurfaceLine* ShaderInterface::of_kind(ResourceKind kind) const {
  for (const SurfaceLine& line : surfaces)
    if (line.kind == kind) return &line;
  return nullptr;
}

bool ShaderInterface::describes(std::uint32_t variable) const {
  return std::any_of(inputs.begin(), inputs.end(), [&](const StageVariable& v) { return v.variable == variable; }) ||
         std::any_of(values.begin(), values.end(), [&](const ValueLine& v) { return v.variable == variable; });
}

namespace {

bool read_location(std::string_view text, std::uint32_t& value) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && r.ec == std::errc() && r.ptr == text.data() + text.size();
}

}  // namespace

std::vector<const StageVariable*> ShaderInterface::named(const std::vector<StageVariable>& list, std::string_view key,
                                                         std::string_view prefix) {
  std::vector<const StageVariable*> found;
  for (const StageVariable& v : list)
    if (v.name == key && !key.empty()) found.push_back(&v);
  if (std::uint32_t location = 0;
      found.empty() && key.starts_with(prefix) && read_location(key.substr(prefix.size()), location))
    for (const StageVariable& v : list)
      if (v.location == location) found.push_back(&v);
  if (found.empty())  // a member of an interface block by its own name
    for (const StageVariable& v : list)
      if (const std::size_t dot = v.name.rfind('.'); dot != std::string::npos && v.name.substr(dot + 1) == key)
        found.push_back(&v);
  std::sort(found.begin(), found.end(), [](const StageVariable* a, const StageVariable* b) {
    return std::pair(a->location, a->component) < std::pair(b->location, b->component);
  });
  return found;
}

std::uint32_t ShaderInterface::rank(const StageVariable& variable) const {
  // Places, not variables: an input may be read with several qualifiers (at the center and at the centroid).
  std::set<std::pair<std::uint32_t, std::uint32_t>> before;
  for (const std::vector<StageVariable>* list : {&inputs, &unread})
    for (const StageVariable& v : *list)
      if ((variable.name.empty() ? v.location == variable.location : v.name == variable.name) &&
          std::pair(v.location, v.component) < std::pair(variable.location, variable.component))
        before.emplace(v.location, v.component);
  return static_cast<std::uint32_t>(before.size());
}

ElementType element_type(ComponentType type) {
  constexpr std::array kTypes{ElementType::F32, ElementType::I32, ElementType::U32,
                              ElementType::F64, ElementType::I64, ElementType::U64};
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace heddle::shader_interface
