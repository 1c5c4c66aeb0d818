// SPDX-License-Identifier: MIT
#include "shader_interface/element_type.hpp"

#include <array>

namespace heddle::shader_interface {
namespace {

struct ElementRow {
  ElementType type;
  std::string_view name;
  unsigned bytes;
};
constexpr std::array<ElementRow, 11> kElements{{{ElementType::I8, "i8", 1},
                                                {ElementType::U8, "u8", 1},
                                                {ElementType::I16, "i16", 2},
                                                {ElementType::U16, "u16", 2},
                                                {ElementType::F16, "f16", 2},
                                                {ElementType::I32, "i32", 4},
                                                {ElementType::U32, "u32", 4},
                                                {ElementType::F32, "f32", 4},
                                                {ElementType::I64, "i64", 8},
                                                {ElementType::U64, "u64", 8},
                                                {ElementType::F64, "f64", 8}}};

}  // namespace

std::optional<ElementType> find_element_type(std::string_view name) {
  for (const ElementRow& row : kElements)
    if (row.name == name) return row.type;
  return std::nullopt;
}
std::string_view element_name(ElementType type) { return kElements[static_cast<std::size_t>(type)].name; }
unsigned element_bytes(ElementType type) { return kElements[static_cast<std::size_t>(type)].bytes; }
bool is_float(ElementType type) { return element_name(type)[0] == 'f'; }
bool is_signed(ElementType type) { return element_name(type)[0] != 'u'; }

std::vector<std::string_view> element_words() {
  std::vector<std::string_view> words;
  for (const ElementRow& row : kElements) words.push_back(row.name);
  return words;
}

}  // namespace heddle::shader_interface
