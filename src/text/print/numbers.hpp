// SPDX-License-Identifier: MIT
#pragma once
// Internal to the folder: numbers appended to a text.

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include "isa/operand.hpp"

namespace heddle::text {

inline void add_number(std::string& out, std::uint64_t value, int base = 10) {
  std::array<char, 24> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base);
  out.append(buffer.data(), end);
}
inline void add_hex(std::string& out, std::uint64_t value) {
  out += "0x";
  add_number(out, value, 16);
}
inline void add_signed(std::string& out, std::int64_t value) {
  if (value < 0) out += '-';
  add_number(out, value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
}

/// "(row,column)" of a general variable.
inline void add_origin(std::string& out, const isa::Operand& o) {
  out += '(';
  add_number(out, o.row);
  out += ',';
  add_number(out, o.col);
  out += ')';
}
/// "(element)" of an address variable.
inline void add_element(std::string& out, const isa::Operand& o) {
  out += '(';
  add_number(out, o.row);
  out += ')';
}

}  // namespace heddle::text
