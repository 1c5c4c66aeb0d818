// SPDX-License-Identifier: MIT
#pragma once
// Where the lanes of one scalar are kept, and what an instruction reads and writes of them.

#include <cstdint>

#include "isa/operand.hpp"
#include "isa/types.hpp"

namespace heddle::spirv::compiler {

/// One scalar of a value, for every lane. Booleans are predicates, constants of type Bool (bits 0 or 1), or, where they
/// are stored (variables, phis), variables of type Bool: kept as d lanes of 0 and -1.
struct Part {
  enum class Kind : std::uint8_t { Undefined, Constant, Variable, Predicate };
  Kind kind = Kind::Undefined;
  isa::Type type = isa::Type::UD;  ///< how the bits are read; any type of the same size as the variable's
  std::uint8_t stride =
      1;  ///< elements from lane to lane: 1, 2 or 4 (the low part of a wider lane), 0 (the same for all lanes)
  std::uint32_t variable = 0;  ///< VisaWriter's index of the general variable or predicate
  std::uint32_t offset = 0;    ///< bytes from the start of the variable to lane 0
  std::uint64_t bits = 0;      ///< Constant: zero-extended bits

  [[nodiscard]] bool constant() const { return kind == Kind::Constant; }
  [[nodiscard]] bool boolean() const { return kind == Kind::Predicate || type == isa::Type::Bool; }
  /// The same bits, read as another type of that size.
  [[nodiscard]] Part as(isa::Type t) const {
    Part p = *this;
    p.type = t;
    return p;
  }
};

[[nodiscard]] inline Part constant(isa::Type type, std::uint64_t bits) {
  Part p;
  p.kind = Part::Kind::Constant;
  p.type = type;
  p.bits = bits;
  return p;
}
[[nodiscard]] inline Part ud(std::uint32_t value) { return constant(isa::Type::UD, value); }
[[nodiscard]] Part real(float value);
/// A narrower part of wide lanes: element `index` of each (half 0 or 1 of a qword as ud, the low byte of a dword as
/// ub).
[[nodiscard]] Part narrowed(const Part& wide, isa::Type type, unsigned index = 0);
[[nodiscard]] inline Part boolean(bool value) { return constant(isa::Type::Bool, value ? 1 : 0); }

/// The same variable, seen the same way, or the same constant.
[[nodiscard]] inline bool same_lanes(const Part& a, const Part& b) {
  return a.kind == b.kind && a.bits == b.bits && a.variable == b.variable && a.offset == b.offset;
}

/// A source with its modifier.
struct Source {
  Part part;
  isa::Modifier modifier = isa::Modifier::None;
  Source(const Part& p, isa::Modifier m = isa::Modifier::None) : part(p), modifier(m) {}  // NOLINT: a part is a source
};
[[nodiscard]] inline Source negated(const Part& p) { return {p, isa::Modifier::Neg}; }
[[nodiscard]] inline Source magnitude(const Part& p) { return {p, isa::Modifier::Abs}; }
[[nodiscard]] inline Source inverted(const Part& p) { return {p, isa::Modifier::Not}; }

/// Lanes that take part: those of the predicate (none given: all active ones).
struct Guard {
  Part predicate;  ///< Kind::Predicate, or Undefined
  bool inverse = false;
  bool no_mask = false;  ///< all lanes, active or not
};
[[nodiscard]] inline Guard every_lane() { return {{}, false, true}; }

/// Lanes `start` to `start + lanes - 1` of a thread: one message or one range of an instruction.
struct LaneRange {
  unsigned start = 0, lanes = 16;
};
/// The one lane of an instruction on scalars.
inline constexpr LaneRange kOneLane{0, 1};

}  // namespace heddle::spirv::compiler
