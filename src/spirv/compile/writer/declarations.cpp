// SPDX-License-Identifier: MIT
// Rules: SPV-2.
#include "spirv/compile/writer/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/vocabulary.hpp"

namespace heddle::spirv::compiler {
namespace {

/// V<n>, T<n>, S<n>, A<n>, P<n> name variables by number.
bool is_numbered(std::string_view word) {
  if (word.size() < 2 || std::string_view("VTSAP").find(word.front()) == std::string_view::npos) return false;
  return std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string legal_name(std::string_view hint) {
  std::string out;
  for (const char c : hint) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (fits)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.size() > 40) out.resize(40);
  if (out.empty()) out = "t";
  if (out.front() >= '0' && out.front() <= '9') out.insert(out.begin(), 'v');
  return out;
}

std::string Declarations::unique(std::string_view hint) {
  std::string name = legal_name(hint);
  if (text::is_keyword(name) || is_numbered(name) || name.size() == 1)
    name += name.size() == 1 && name != "t" ? "_v" : "_";
  if (name.back() == '_') name += "1";
  if (names_.insert(name).second) return name;
  unsigned& next = next_suffix_[name];
  if (next == 0) next = 2;
  for (;;) {
    std::string numbered = fmt::format("{}_{}", name, next++);
    if (names_.insert(numbered).second) return numbered;
  }
}

unsigned Declarations::group_bytes(isa::Type type) const {
  const unsigned bytes = simd_ * (type == isa::Type::Bool ? 4 : isa::type_bytes(type));
  return (bytes + grf_ - 1) / grf_ * grf_;
}

Part Declarations::declare(isa::Type type, std::string_view hint, std::uint32_t elements) {
  Part p;
  p.kind = Part::Kind::Variable;
  p.type = type;
  p.variable = static_cast<std::uint32_t>(variables_.size());
  const std::string name = unique(hint);
  variables_.push_back({name, type, elements, {}});
  declarations_.push_back(
      {fmt::format(".decl {} v_type=G type={} num_elts={} align=GRF\n", name, isa::type_name(type), elements),
       p.variable});
  return p;
}

Part Declarations::lanes(isa::Type type, std::string_view hint, unsigned groups) {
  const isa::Type kept = type == isa::Type::Bool ? isa::Type::D : type;
  const unsigned bytes = group_bytes(kept) * (groups - 1) + simd_ * isa::type_bytes(kept);
  Part p = declare(kept, hint, bytes / isa::type_bytes(kept));
  p.type = type;
  return p;
}

Part Declarations::group(const Part& first, unsigned index) const {
  Part p = first;
  p.offset += index * group_bytes(first.type);
  return p;
}

Part Declarations::array(isa::Type type, std::string_view hint, unsigned elements) {
  Part p = declare(type, hint, elements);
  p.stride = 0;
  return p;
}

Part Declarations::element(const Part& array, unsigned index) const {
  Part p = array;
  p.stride = 0;
  p.offset += index * isa::type_bytes(array.type);
  return p;
}

Part Declarations::predicate(std::string_view hint) {
  Part p;
  p.kind = Part::Kind::Predicate;
  p.type = isa::Type::Bool;
  p.variable = static_cast<std::uint32_t>(predicates_.size());
  const auto kind =
      predicate_kinds_.emplace(std::string(hint), static_cast<std::uint32_t>(predicate_kinds_.size())).first;
  predicates_.push_back({unique(hint), kind->second, origin_});
  declarations_.push_back({fmt::format(".decl {} v_type=P num_elts={}\n", predicates_.back().name, simd_),
                           Declaration::kAlways, p.variable});
  return p;
}

std::string Declarations::address(std::string_view hint, unsigned elements) {
  std::string name = unique(hint);
  declarations_.push_back({fmt::format(".decl {} v_type=A num_elts={}\n", name, elements)});
  return name;
}

void Declarations::input(const Part& variable, std::uint32_t offset, std::uint32_t bytes) {
  variables_[variable.variable].used = true;
  inputs_ += fmt::format(".input {} offset={} size={}\n", variables_[variable.variable].name, offset, bytes);
}

std::string Declarations::surface() {
  const std::string name = fmt::format("T{}", 6 + surfaces_++);
  declarations_.push_back({fmt::format(".decl {} v_type=T num_elts=1\n", name)});
  return name;
}

std::string Declarations::descriptor_surface() {
  constexpr unsigned kMaxDescriptors = 230;  // of a binding table of 240 entries; the others are for targets
  return surfaces_ < kMaxDescriptors ? surface() : fmt::format("{}{}", kBindlessSurface, bindless_surfaces_++);
}

std::string Declarations::sampler() {
  constexpr unsigned kMaxSamplers = 31;  // S31 is the bindless one
  if (samplers_ == kMaxSamplers) return fmt::format("{}{}", kBindlessSampler, bindless_samplers_++);
  const std::string name = fmt::format("S{}", samplers_++);
  declarations_.push_back({fmt::format(".decl {} v_type=S num_elts=1\n", name)});
  return name;
}

std::string Declarations::name(const Part& part) {
  if (part.kind == Part::Kind::Predicate) return predicate_name(part);
  Variable& v = variables_[part.variable];
  v.used = true;
  const isa::Type type = part.type == isa::Type::Bool ? isa::Type::D : part.type;
  if (type == v.type) return v.name;
  const auto found = v.aliases.find(type);
  if (found != v.aliases.end()) return found->second;
  const std::string alias = unique(v.name + "_" + std::string(isa::type_name(type)));
  const unsigned bytes = v.elements * isa::type_bytes(v.type);
  declarations_.push_back({fmt::format(".decl {} v_type=G type={} num_elts={} align=GRF alias=<{},0>\n", alias,
                                       isa::type_name(type), bytes / isa::type_bytes(type), v.name)});
  v.aliases.emplace(type, alias);
  return alias;
}

void Declarations::share(const SharedPredicates& shared) {
  renamed_.resize(predicates_.size());
  for (std::size_t k = 0; k < predicates_.size(); ++k) renamed_[k] = !shared.used[k] || shared.home[k] != k;
}

void Declarations::append_declarations(std::string& out) const {
  for (const Declaration& d : declarations_) {
    if (d.variable != Declaration::kAlways && !variables_[d.variable].used) continue;
    if (d.predicate == Declaration::kAlways || renamed_.empty() || !renamed_[d.predicate]) out += d.text;
  }
  out += inputs_;
}

}  // namespace heddle::spirv::compiler
