// SPDX-License-Identifier: MIT
#include "isa/shader_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <tuple>

#include "isa/description.hpp"
#include "isa/source_map.hpp"

namespace heddle::isa {
namespace {

constexpr std::string_view kComponents = "xyzw";

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// A variable's name in parts: "tint", 1, "2" of tint_y_2. The compiler counts names that would be the same.
struct Parts {
  std::string stem;
  int component = -1;
  std::string number;
};
Parts parts_of(std::string_view name) {
  Parts p;
  if (const std::size_t last = name.rfind('_'); last != std::string_view::npos && all_digits(name.substr(last + 1))) {
    p.number = std::string(name.substr(last + 1));
    name = name.substr(0, last);
  }
  if (name.size() > 2 && name[name.size() - 2] == '_' && kComponents.find(name.back()) != std::string_view::npos) {
    p.component = static_cast<int>(kComponents.find(name.back()));
    name.remove_suffix(2);
  } else if (name.size() == 3 && name.ends_with("_v")) {  // a name of one letter would be a number's
    name.remove_suffix(2);
  }
  p.stem = std::string(name);
  return p;
}

std::string type_text(Type type, std::size_t size, bool hlsl) {
  struct Words {
    Type type;
    std::string_view scalar, vector, hlsl;
  };
  static constexpr Words kWords[] = {
      {Type::F, "float", "vec", "float"},           {Type::D, "int", "ivec", "int"},
      {Type::UD, "uint", "uvec", "uint"},           {Type::DF, "double", "dvec", "double"},
      {Type::HF, "float16_t", "f16vec", "half"},    {Type::W, "int16_t", "i16vec", "int16_t"},
      {Type::UW, "uint16_t", "u16vec", "uint16_t"}, {Type::Q, "int64_t", "i64vec", "int64_t"},
      {Type::UQ, "uint64_t", "u64vec", "uint64_t"}, {Type::B, "int8_t", "i8vec", "int8_t"},
      {Type::UB, "uint8_t", "u8vec", "uint8_t"}};
  for (const Words& w : kWords)
    if (w.type == type) {
      const std::string number = size > 1 ? fmt::to_string(size) : std::string();
      return fmt::format("{}{}", hlsl ? w.hlsl : size > 1 ? w.vector : w.scalar, number);
    }
  return {};
}

struct Source {
  bool shader = false, hlsl = false;
};
Source source_of(const Object& object) {
  Source s;
  for (const Instruction& i : object.instructions)
    s.shader = s.shader || remark_of(object, i).starts_with("interface ");
  s.hlsl = std::ranges::any_of(object.strings, [](const std::string& file) {
    return !file.starts_with("heddle: ") && (file.ends_with(".hlsl") || file.ends_with(".fx"));
  });
  return s;
}

}  // namespace

std::vector<std::string> shader_names(const Object& object) {
  std::vector<std::string> names(object.variables.size());
  const Source source = source_of(object);
  if (!source.shader) return names;
  std::vector<Parts> parts;
  for (const GeneralVariable& v : object.variables) parts.push_back(parts_of(v.name));
  for (std::size_t first = 0; first < parts.size();) {
    // Components stand one behind the other, from x on.
    std::size_t end = first + 1;
    if (parts[first].component == 0)
      while (end < parts.size() && parts[end].stem == parts[first].stem && parts[end].number == parts[first].number &&
             parts[end].component == static_cast<int>(end - first) &&
             object.variables[end].type == object.variables[first].type)
        ++end;
    const std::string& stem = parts[first].stem;
    const bool temporary = stem == "t" || stem == "subspans" || stem == "local_ids" || stem == "header";
    const std::string type = type_text(object.variables[first].type, end - first, source.hlsl);
    for (std::size_t k = first; k < end; ++k)
      if (!temporary && !type.empty())
        names[k] = end - first > 1 ? fmt::format("{} {}, {}", type, stem, kComponents[k - first])
                                   : fmt::format("{} {}", type, stem);
    first = end;
  }
  return names;
}

}  // namespace heddle::isa
