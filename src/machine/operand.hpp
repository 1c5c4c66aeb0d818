// SPDX-License-Identifier: MIT
#pragma once
// Operands resolved once for execution: byte positions in the register file, region steps, bounds already checked where
// possible.

#include <array>
#include <cstdint>

#include "isa/operand.hpp"
#include "machine/layout.hpp"

namespace heddle::machine {

inline constexpr unsigned kMaxLanes = 32;

struct Operand {
  isa::OperandKind kind = isa::OperandKind::Absent;
  isa::Modifier modifier = isa::Modifier::None;
  isa::Type type = isa::Type::UD;  ///< of one element
  std::uint8_t size = 4;           ///< bytes of one element
  bool null = false;               ///< %null or absent
  bool in_bounds = false;          ///< every lane's element lies inside the root
  bool contiguous = false;         ///< lane k at base + k * size
  std::uint8_t element = 0;        ///< address variables: first element; state operands: element
  std::uint8_t width =
      1;  ///< address operands: elements; multi-address regions: lanes of one address (0: a single address)
  bool scalar = false;     ///< all lanes read one element
  std::uint32_t id = 0;    ///< variable, address, predicate, surface, sampler, string; labels: position in the code
  std::uint32_t base = 0;  ///< General, Raw, AddressOf: byte of the first element
  std::uint32_t root_begin = 0, root_end = 0;
  std::int32_t offset = 0;                      ///< Indirect: immediate byte offset
  std::uint64_t value = 0;                      ///< Immediate bits; Integer
  std::array<std::uint16_t, kMaxLanes> lane{};  ///< bytes from the first element to that of each lane
  const isa::Operand* source = nullptr;
  /// A raw operand that is read on from another one: its byte `rest_at` is the first of `rest`.
  const Operand* rest = nullptr;
  std::uint32_t rest_at = 0;

  [[nodiscard]] bool is_register() const {
    return kind == isa::OperandKind::General || kind == isa::OperandKind::Indirect;
  }
};

/// Resolves a register, raw, immediate, predicate, address or state operand. `lanes`: how many elements it has (the
/// execution size). `destination`: the region has only a horizontal stride.
[[nodiscard]] Operand resolve(const isa::Operand& operand, const Layout& layout, unsigned lanes, bool destination);

}  // namespace heddle::machine
