// SPDX-License-Identifier: MIT
#pragma once
// The scalar types of block members, of buffers' elements and of stage variables.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle::shader_interface {

enum class ElementType : std::uint8_t { I8, U8, I16, U16, F16, I32, U32, F32, I64, U64, F64 };

[[nodiscard]] std::optional<ElementType> find_element_type(std::string_view name);  ///< "f32", "u8" ...
[[nodiscard]] std::string_view element_name(ElementType type);
[[nodiscard]] std::vector<std::string_view> element_words();
[[nodiscard]] unsigned element_bytes(ElementType type);
[[nodiscard]] bool is_float(ElementType type);
[[nodiscard]] bool is_signed(ElementType type);

}  // namespace heddle::shader_interface
