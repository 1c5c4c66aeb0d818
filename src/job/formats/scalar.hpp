#pragma once
// Numbers as a person wrote them, and their bytes in an element type.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/node.hpp"

namespace heddle::job {

enum class ElementType : std::uint8_t { I8, U8, I16, U16, F16, I32, U32, F32, I64, U64, F64 };

[[nodiscard]] std::optional<ElementType> find_element_type(std::string_view name);  ///< "f32", "u8" ...
[[nodiscard]] std::string_view element_name(ElementType type);
[[nodiscard]] std::vector<std::string_view> element_words();
[[nodiscard]] unsigned element_bytes(ElementType type);
[[nodiscard]] bool is_float(ElementType type);
[[nodiscard]] bool is_signed(ElementType type);

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
