// SPDX-License-Identifier: MIT
#pragma once
// Instructions whose operands are whole words in registers, in a form that takes a few nanoseconds to run. Threads that
// the fast engine interprets run them so; what they do is what the reference functions do, bit for bit, while %cr0 has
// what it has at the start (machine::kInitialCr0 but for subnormals of other types) and nobody checks. A family that
// has such forms has plain.cpp with its list of hooks, and stands in plain.cpp here.

#include <array>
#include <cstdint>
#include <optional>

#include "isa/description.hpp"
#include "machine/decoded.hpp"
#include "machine/registers.hpp"

namespace heddle::instructions {

/// Words that an instruction reads: one for each lane, one for all, or a number.
struct PlainSource {
  enum class Kind : std::uint8_t { Vector, Scalar, Immediate };
  std::uint32_t at = 0;  ///< byte of the register file; the number itself
  Kind kind = Kind::Vector;
  isa::Modifier modifier = isa::Modifier::None;  ///< of F only
};

/// Which lanes an instruction has, by the execution mask and by its predicate.
struct PlainLanes {
  std::uint32_t predicate = 0;  ///< its number; 0: none
  std::uint8_t count = 1, mask_offset = 0;
  bool no_mask = false, inverse = false;
  explicit PlainLanes(const machine::Decoded& d)
      : predicate(d.predicate.present() ? d.predicate.id() : 0),
        count(d.lanes),
        mask_offset(d.mask_offset),
        no_mask(d.no_mask),
        inverse(d.predicate.inverse()) {}
  [[nodiscard]] std::uint32_t all() const { return count >= 32 ? 0xffffffffu : (1u << count) - 1; }
  [[nodiscard]] std::uint32_t masked(std::uint32_t active) const {
    return no_mask ? all() : active >> mask_offset & all();
  }
  [[nodiscard]] std::uint32_t chosen(const machine::Registers& registers) const {
    if (predicate == 0) return all();
    const std::uint32_t bits = registers.predicate(predicate) >> mask_offset;
    return (inverse ? ~bits : bits) & all();
  }
};

struct PlainStep {
  explicit PlainStep(const machine::Decoded& d) : lanes(d), saturate(d.saturate) {}

  /// `lanes`: those that are written. `chosen`: those that the predicate has, for instructions that choose by it.
  using Run = void (*)(const PlainStep& step, machine::Registers& registers, std::uint32_t lanes, std::uint32_t chosen);
  Run run = nullptr;
  std::uint32_t to = 0;  ///< byte of the register file, or the number of a predicate
  std::array<PlainSource, 3> source;
  PlainLanes lanes;
  bool saturate;
  bool chooses = false;  ///< the predicate disables no lane
};

/// Of a row whose operands are plain: its function, by types and lanes; false where there is none.
using PlainChoice = bool (*)(const machine::Operands& operands, PlainStep& step);
using PlainHook = isa::Hook<PlainChoice>;
/// Of all rows.
[[nodiscard]] const isa::HookTable<PlainChoice>& plain_choices();

/// Nothing where the instruction has no such form.
[[nodiscard]] std::optional<PlainStep> plain_step(const machine::Operands& operands);
/// Whether the execution mask and the predicate of the instruction say which lanes run, each for itself.
[[nodiscard]] bool has_plain_lanes(const machine::Decoded& instruction);

}  // namespace heddle::instructions
