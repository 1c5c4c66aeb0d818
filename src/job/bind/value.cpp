// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>

#include "base/half.hpp"
#include "job/bind/value.hpp"

namespace heddle::job {

ValueShape shape_of(isa::Type type, std::uint32_t bytes) {
  using isa::Type;
  ValueShape shape;
  shape.bytes = bytes;
  switch (type) {
    case Type::UD:
      shape.type = ElementType::U32;
      break;
    case Type::D:
      shape.type = ElementType::I32;
      break;
    case Type::UW:
      shape.type = ElementType::U16;
      break;
    case Type::W:
      shape.type = ElementType::I16;
      break;
    case Type::UB:
    case Type::Bool:
      shape.type = ElementType::U8;
      break;
    case Type::B:
      shape.type = ElementType::I8;
      break;
    case Type::DF:
      shape.type = ElementType::F64;
      break;
    case Type::F:
      shape.type = ElementType::F32;
      break;
    case Type::UQ:
      shape.type = ElementType::U64;
      break;
    case Type::Q:
      shape.type = ElementType::I64;
      break;
    case Type::HF:
      shape.type = ElementType::F16;
      break;
    case Type::BF:
      shape.bfloat16 = true;
      break;
    case Type::V:
    case Type::VF:
    case Type::UV:
      shape.type = ElementType::U32;
      break;
  }
  const unsigned element = isa::type_bytes(type);
  shape.count = std::max(1u, bytes / element);
  if (bytes < element) shape.type.reset();
  shape.describe = shape.count == 1 ? std::string(isa::type_name(type))
                                    : fmt::format("{} values of type {}", shape.count, isa::type_name(type));
  return shape;
}

ValueShape shape_of_opencl(std::string_view type_name, std::uint32_t bytes) {
  ValueShape shape;
  const std::size_t semicolon = std::min(type_name.find(';'), type_name.size());
  std::string_view name = type_name.substr(0, semicolon);
  shape.bytes = bytes;
  shape.describe = std::string(name);
  std::uint32_t count = 1;
  std::string_view scalar = name;
  if (const std::size_t digits = name.find_last_not_of("0123456789");
      digits != std::string_view::npos && digits + 1 < name.size()) {
    count = 0;
    for (const char c : name.substr(digits + 1))
      count = std::min(16u, count * 10 + static_cast<std::uint32_t>(c - '0'));
    scalar = name.substr(0, digits + 1);
  }
  constexpr std::array<std::pair<std::string_view, ElementType>, 16> kTypes{{{"char", ElementType::I8},
                                                                             {"uchar", ElementType::U8},
                                                                             {"short", ElementType::I16},
                                                                             {"ushort", ElementType::U16},
                                                                             {"int", ElementType::I32},
                                                                             {"uint", ElementType::U32},
                                                                             {"long", ElementType::I64},
                                                                             {"ulong", ElementType::U64},
                                                                             {"half", ElementType::F16},
                                                                             {"float", ElementType::F32},
                                                                             {"double", ElementType::F64},
                                                                             {"bool", ElementType::U8},
                                                                             {"unsigned char", ElementType::U8},
                                                                             {"unsigned short", ElementType::U16},
                                                                             {"unsigned int", ElementType::U32},
                                                                             {"unsigned long", ElementType::U64}}};
  for (const auto& [word, type] : kTypes)
    if (word == scalar) {
      shape.type = type;
      shape.count = std::max(1u, count);
      shape.bytes = shape.count * element_bytes(type);
      if (shape.count == 3) shape.bytes = 4 * element_bytes(type);  // a 3-vector takes the space of four
      return shape;
    }
  if (semicolon < type_name.size()) {  // a struct: its own size
    std::uint32_t size = 0;
    for (const char c : type_name.substr(semicolon + 1))
      if (c >= '0' && c <= '9') size = std::min(65536u, size * 10 + static_cast<std::uint32_t>(c - '0'));
    if (size != 0) shape.bytes = size;
  }
  shape.count = 0;
  return shape;
}

namespace {

/// The elements of an argument in one type.
std::optional<std::vector<std::uint8_t>> encode_elements(const Argument& argument, ElementType type, std::string& why) {
  std::vector<std::uint8_t> bytes;
  for (const Scalar& scalar : argument.values) {
    const auto bits = encode(scalar, type, why);
    if (!bits) return std::nullopt;
    put(bytes, *bits, element_bytes(type));
  }
  return bytes;
}

std::vector<std::uint8_t> encode_bfloat16(const Argument& argument) {
  std::vector<std::uint8_t> bytes;
  for (const Scalar& scalar : argument.values) {
    const bool bits = scalar.kind == Scalar::Kind::Bits;
    put(bytes, bits ? scalar.bits : base::float_to_bfloat16(static_cast<float>(scalar.as_real())), 2);
  }
  return bytes;
}

/// The type of a number that has none declared: an integer of the slot's size, or a binary float of that size.
std::optional<ElementType> natural_type(const Scalar& scalar, std::uint32_t bytes, std::string& why) {
  const bool eight = bytes == 8, four = bytes == 4, two = bytes == 2;
  if (scalar.kind == Scalar::Kind::Real) {
    if (bytes == 1) return why = "a number with a fraction does not fit one byte", std::nullopt;
    return eight ? ElementType::F64 : four ? ElementType::F32 : ElementType::F16;
  }
  if (scalar.kind == Scalar::Kind::Integer && !scalar.big && scalar.integer < 0)
    return eight ? ElementType::I64 : four ? ElementType::I32 : two ? ElementType::I16 : ElementType::I8;
  return eight ? ElementType::U64 : four ? ElementType::U32 : two ? ElementType::U16 : ElementType::U8;
}

/// The bytes of the values in the shape's type, however many there are.
std::optional<std::vector<std::uint8_t>> encode_values(const Argument& argument, const ValueShape& shape,
                                                       std::string& why) {
  if (shape.bfloat16) return encode_bfloat16(argument);
  if (shape.type) return encode_elements(argument, *shape.type, why);
  if (shape.count == 1 && argument.values.size() == 1 &&
      (shape.bytes == 1 || shape.bytes == 2 || shape.bytes == 4 || shape.bytes == 8)) {
    const auto type = natural_type(argument.values[0], shape.bytes, why);
    return type ? encode_elements(argument, *type, why) : std::nullopt;
  }
  why = fmt::format(
      "its type '{}' has no elements of one type: give {{ bytes = \"...\" }} ({} bytes) or {{ type = ..., value = ... "
      "}}",
      shape.describe, shape.bytes);
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> encode_argument(const Argument& argument, const ValueShape& shape,
                                                         std::string& why) {
  const auto wrong_size = [&](std::size_t given) {
    why = fmt::format("{} bytes are given, {} are expected ({})", given, shape.bytes, shape.describe);
    return std::nullopt;
  };
  if (argument.bytes) {
    if (argument.bytes->size() == shape.bytes) return argument.bytes;
    return wrong_size(argument.bytes->size());
  }
  if (!argument.members.empty()) {
    why = fmt::format(
        "a table of members is given; the program keeps no names of members, so its {} bytes are given as {{ bytes = "
        "\"...\" }}",
        shape.bytes);
    return std::nullopt;
  }
  auto bytes = argument.type ? encode_elements(argument, *argument.type, why) : encode_values(argument, shape, why);
  if (!bytes) return std::nullopt;
  if (argument.type) {
    if (bytes->size() != shape.bytes && (shape.count != 3 || bytes->size() >= shape.bytes))
      return wrong_size(bytes->size());
  } else if (argument.values.size() != shape.count) {
    why = fmt::format("{} value{} given, {} expected ({})", argument.values.size(),
                      argument.values.size() == 1 ? " is" : "s are", shape.count, shape.describe);
    return std::nullopt;
  }
  bytes->resize(shape.bytes);
  return bytes;
}

}  // namespace heddle::job
