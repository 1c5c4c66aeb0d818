// SPDX-License-Identifier: MIT
#pragma once
// Numbers as a person wrote them, and their bytes in an element type.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/node.hpp"
#include "shader_interface/element_type.hpp"

namespace heddle::job {

using shader_interface::element_bytes;
using shader_interface::element_name;
using shader_interface::element_words;
using shader_interface::ElementType;
using shader_interface::find_element_type;
using shader_interface::is_float;
using shader_interface::is_signed;

/// A number as written: integer, number with a fraction, true/false, or bits ("0x7fc00000").
struct Scalar {
  enum class Kind : std::uint8_t { Integer, Real, Boolean, Bits };
  Kind kind = Kind::Integer;
  std::int64_t integer = 0;  ///< Integer (two's complement when `big`), Boolean 0 or 1
  bool big = false;          ///< Integer above INT64_MAX
  double real = 0;
  std::uint64_t bits = 0;
  unsigned digits = 0;  ///< Bits: hexadecimal digits written

  [[nodiscard]] double as_real() const;
  static Scalar of(std::int64_t value) { return {Kind::Integer, value, false, 0, 0, 0}; }
  static Scalar of(double value) { return {Kind::Real, 0, false, value, 0, 0}; }
  static std::optional<Scalar> from(const base::Node& node);
};

/// The element's bits. Empty, with `why`, when the value does not fit: out of range, a fraction for an integer type,
/// too many digits.
[[nodiscard]] std::optional<std::uint64_t> encode(const Scalar& value, ElementType type, std::string& why);
/// Appends the low `bytes` bytes of `bits`.
void put(std::vector<std::uint8_t>& out, std::uint64_t bits, unsigned bytes);
/// An element as text that reads back as the same bits: JSON numbers; NaN and infinities as "0x..." with quotes.
[[nodiscard]] std::string print(std::span<const std::uint8_t> element, ElementType type);

}  // namespace heddle::job
