// SPDX-License-Identifier: MIT
#include "job/formats/scalar.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/half.hpp"

namespace heddle::job {
namespace {

std::uint64_t float_bits(double value, ElementType type) {
  if (type == ElementType::F16) return base::double_to_half(value);
  if (type == ElementType::F32) return base::bits_of(static_cast<float>(value));
  return base::bits_of(value);
}

bool is_infinite(std::uint64_t bits, ElementType type) {
  if (type == ElementType::F16) return (bits & 0x7fff) == 0x7c00;
  return type == ElementType::F32 && (bits & 0x7fffffff) == 0x7f800000;
}

}  // namespace

double Scalar::as_real() const {
  if (kind == Kind::Real) return real;
  if (kind == Kind::Bits) return base::float_from_bits(static_cast<std::uint32_t>(bits));
  return big ? static_cast<double>(static_cast<std::uint64_t>(integer)) : static_cast<double>(integer);
}

std::optional<Scalar> Scalar::from(const base::Node& node) {
  Scalar s;
  switch (node.kind) {
    case base::Node::Kind::Integer:
      s.integer = node.integer;
      s.big = node.big;
      return s;
    case base::Node::Kind::Real:
      return of(node.real);
    case base::Node::Kind::Boolean:
      s.kind = Kind::Boolean;
      s.integer = node.boolean ? 1 : 0;
      return s;
    case base::Node::Kind::Text: {
      const auto bits = base::parse_hex(node.text);
      if (!bits) return std::nullopt;
      s.kind = Kind::Bits;
      s.bits = *bits;
      s.digits = static_cast<unsigned>(node.text.size() - 2);
      return s;
    }
    case base::Node::Kind::Null:
    case base::Node::Kind::Array:
    case base::Node::Kind::Table:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> encode(const Scalar& value, ElementType type, std::string& why) {
  const unsigned bytes = element_bytes(type), width = bytes * 8;
  if (value.kind == Scalar::Kind::Bits) {
    if (width < 64 && value.bits >> width != 0) {
      why = fmt::format("0x{:x} has more bits than {}", value.bits, element_name(type));
      return std::nullopt;
    }
    return value.bits;
  }
  if (is_float(type)) {
    const double real = value.as_real();
    const std::uint64_t bits = float_bits(real, type);
    if (std::isfinite(real) && is_infinite(bits, type)) {
      why = fmt::format("{} is too large for {}", real, element_name(type));
      return std::nullopt;
    }
    return bits;
  }
  std::int64_t integer = value.integer;
  bool big = value.big;
  if (value.kind == Scalar::Kind::Real) {
    const double r = value.real;
    if (r != std::trunc(r) || !(r >= -9223372036854775808.0 && r < 18446744073709551616.0)) {
      why = fmt::format("{} is no integer, {} is expected", r, element_name(type));
      return std::nullopt;
    }
    big = r >= 9223372036854775808.0;
    integer = big ? static_cast<std::int64_t>(static_cast<std::uint64_t>(r)) : static_cast<std::int64_t>(r);
  }
  bool fits = true;
  if (is_signed(type)) {
    fits = !big &&
           (width == 64 || (integer >= -(std::int64_t{1} << (width - 1)) && integer < std::int64_t{1} << (width - 1)));
  } else {
    fits = (big || integer >= 0) && (width == 64 || static_cast<std::uint64_t>(integer) >> width == 0);
  }
  if (!fits) {
    why = fmt::format("{} does not fit {}",
                      big ? fmt::format("{}", static_cast<std::uint64_t>(integer)) : fmt::format("{}", integer),
                      element_name(type));
    return std::nullopt;
  }
  return width == 64 ? static_cast<std::uint64_t>(integer)
                     : static_cast<std::uint64_t>(integer) & ((std::uint64_t{1} << width) - 1);
}

void put(std::vector<std::uint8_t>& out, std::uint64_t bits, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
}

std::string print(std::span<const std::uint8_t> element, ElementType type) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < element.size() && i < 8; ++i) bits |= static_cast<std::uint64_t>(element[i]) << (8 * i);
  switch (type) {
    case ElementType::I8:
      return fmt::format("{}", static_cast<int>(static_cast<std::int8_t>(bits)));
    case ElementType::I16:
      return fmt::format("{}", static_cast<std::int16_t>(bits));
    case ElementType::I32:
      return fmt::format("{}", static_cast<std::int32_t>(bits));
    case ElementType::I64:
      return fmt::format("{}", static_cast<std::int64_t>(bits));
    case ElementType::U8:
    case ElementType::U16:
    case ElementType::U32:
    case ElementType::U64:
      return fmt::format("{}", bits);
    case ElementType::F16:
    case ElementType::F32:
    case ElementType::F64:
      break;
  }
  const double value = type == ElementType::F64 ? base::double_from_bits(bits)
                       : type == ElementType::F32
                           ? static_cast<double>(base::float_from_bits(static_cast<std::uint32_t>(bits)))
                           : static_cast<double>(base::half_to_float(static_cast<std::uint16_t>(bits)));
  if (!std::isfinite(value)) return fmt::format("\"0x{:0{}x}\"", bits, element.size() * 2);
  std::string text = type == ElementType::F64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace heddle::job
