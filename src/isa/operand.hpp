// SPDX-License-Identifier: MIT
#pragma once
// Operands exactly as the container encodes them (ENC-15 to ENC-22), so that text, binary and execution share one form.

#include <cstdint>

#include "isa/types.hpp"

namespace heddle::isa {

enum class OperandKind : std::uint8_t {
  Absent,     ///< an optional operand that this instruction does not have (its slot stays, so positions are fixed)
  Integer,    ///< a plain encoded field: mask, size code, count, atomic operation, flags ...: `value`
  Raw,        ///< raw_operand: variable `id`, byte `offset`; id 0 with offset 0 is %null
  General,    ///< vec_operand class 0: `id`, `row`, `col`, `region`, `modifier`
  Address,    ///< class 1: address variable `id`, element `row`, `col` = log2 of the width
  Predicate,  ///< class 2: predicate `id`
  Indirect,   ///< class 3: address variable `id`, element `row`, byte immediate `offset`, `type`, `region`, `modifier`
  Immediate,  ///< class 5: `type`, bits in `value`, zero-extended from the encoded 4 or 8 bytes
  State,      ///< class 6: `state`, `id`, element `offset`
  AddressOf,  ///< &V[offset]: encoded as class 0 (byte offset folded into row and col) with region 21 01; here `id` and
              ///< byte `offset`
  Surface,    ///< surface index byte `id`
  Sampler,    ///< sampler index byte `id`
  Label,      ///< label index `id`
  String,     ///< index `id` into Object::strings
};

enum class Modifier : std::uint8_t { None = 0, Abs = 1, Neg = 2, NegAbs = 3, Sat = 4, Not = 5 };  // 6, 7 reserved
enum class StateClass : std::uint8_t { Surface = 0, Sampler = 1 };

/// Region word as encoded: v 3:0, w 7:4, h 11:8; codes 0 null, 1 -> 0, 2 -> 1, 3 -> 2, 4 -> 4, 5 -> 8, 6 -> 16, 7
/// -> 32.
struct Region {
  std::uint16_t bits = 0;
  static constexpr int decode(unsigned code) {  ///< value of a code, -1 for null (0), -2 for an undefined code (8..15)
    constexpr signed char kValue[16] = {-1, 0, 1, 2, 4, 8, 16, 32, -2, -2, -2, -2, -2, -2, -2, -2};
    return kValue[code & 15u];
  }
  static constexpr unsigned encode(unsigned value) {  ///< code of 0 1 2 4 8 16 32; 15 when there is none
    switch (value) {
      case 0:
        return 1;
      case 1:
        return 2;
      case 2:
        return 3;
      case 4:
        return 4;
      case 8:
        return 5;
      case 16:
        return 6;
      case 32:
        return 7;
      default:
        return 15;
    }
  }
  [[nodiscard]] constexpr int v() const { return decode(bits & 15u); }
  [[nodiscard]] constexpr int w() const { return decode(bits >> 4 & 15u); }
  [[nodiscard]] constexpr int h() const { return decode(bits >> 8 & 15u); }
  static constexpr Region source(unsigned v, unsigned w, unsigned h) {
    return {static_cast<std::uint16_t>(encode(v) | encode(w) << 4 | encode(h) << 8)};
  }
  static constexpr Region destination(unsigned h) { return {static_cast<std::uint16_t>(encode(h) << 8)}; }
  bool operator==(const Region&) const = default;
};

struct Operand {
  OperandKind kind = OperandKind::Absent;
  Modifier modifier = Modifier::None;
  Type type = Type::UD;  ///< Immediate, Indirect
  StateClass state = StateClass::Surface;
  std::uint8_t row = 0, col = 0;
  Region region;
  std::uint32_t id = 0;
  std::int32_t offset = 0;
  std::uint16_t at = 0;      ///< text: 1-based column; binary: byte offset inside the instruction (saturating)
  std::uint16_t length = 0;  ///< text: characters; binary: bytes (saturating)
  std::uint64_t value = 0;

  [[nodiscard]] bool is_null() const {
    return (kind == OperandKind::Raw && id == 0) || (kind == OperandKind::General && id == 0) ||
           kind == OperandKind::Absent;
  }
  /// Same meaning; the source position does not count.
  [[nodiscard]] bool same(const Operand& o) const {
    return kind == o.kind && modifier == o.modifier && type == o.type && state == o.state && row == o.row &&
           col == o.col && region == o.region && id == o.id && offset == o.offset && value == o.value;
  }
};

}  // namespace heddle::isa
