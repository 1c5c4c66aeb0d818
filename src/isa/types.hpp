// SPDX-License-Identifier: MIT
#pragma once
// vISA operand types (ENC-10): code, size, name.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace heddle::isa {

enum class Type : std::uint8_t { UD = 0, D, UW, W, UB, B, DF, F, V, VF, Bool, UQ, UV, Q, HF, BF };
inline constexpr unsigned kTypeCount = 16;

/// Bytes of one element. V, UV and VF are packed immediates of 4 bytes; Bool counts as 1.
[[nodiscard]] constexpr unsigned type_bytes(Type type) {
  constexpr unsigned char kBytes[kTypeCount] = {4, 4, 2, 2, 1, 1, 8, 4, 4, 4, 1, 8, 4, 8, 2, 2};
  return kBytes[static_cast<unsigned>(type) & 15u];
}
/// Lower-case name as in canonical text: "ud", "hf" ...
[[nodiscard]] std::string_view type_name(Type type);
/// Name in any case, or nullopt.
[[nodiscard]] std::optional<Type> find_type(std::string_view name);

[[nodiscard]] constexpr bool is_float(Type t) {
  return t == Type::DF || t == Type::F || t == Type::HF || t == Type::BF || t == Type::VF;
}
[[nodiscard]] constexpr bool is_signed(Type t) {
  return t == Type::D || t == Type::W || t == Type::B || t == Type::Q || t == Type::V || is_float(t);
}
[[nodiscard]] constexpr bool is_integer(Type t) { return !is_float(t) && t != Type::Bool; }

/// What a tool stores of an immediate of at most 32 bits: w and b sign-extended to 32 bits, other narrow types
/// zero-extended.
[[nodiscard]] constexpr std::uint64_t stored_immediate(Type type, std::uint64_t bits) {
  if (type == Type::W) return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(bits)));
  if (type == Type::B) return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(bits)));
  return bits & (~std::uint64_t{0} >> (64 - type_bytes(type) * 8));
}

/// A set of types, for descriptions and checks.
class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<Type> types) {
    for (const Type t : types) bits_ = static_cast<std::uint16_t>(bits_ | 1u << static_cast<unsigned>(t));
  }
  [[nodiscard]] constexpr bool has(Type t) const { return (bits_ >> static_cast<unsigned>(t) & 1u) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  constexpr TypeSet operator|(TypeSet other) const {
    TypeSet result;
    result.bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return result;
  }
  bool operator==(const TypeSet&) const = default;

 private:
  std::uint16_t bits_ = 0;
};

}  // namespace heddle::isa
