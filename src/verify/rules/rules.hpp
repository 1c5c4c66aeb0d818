// SPDX-License-Identifier: MIT
#pragma once
// The catalog of vISA rules: every id that text, binary and verify report about a vISA program, what it asks for and
// why. `heddle explain`, the notes under diagnostics and the generated reference are printed from it.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/diagnostic.hpp"

namespace heddle::verify {

enum class Area : std::uint8_t { Text, Container, Declarations, Instructions, Images, Messages };
inline constexpr unsigned kAreaCount = 6;

struct Rule {
  std::string_view id;
  Area area;
  base::Severity severity;               ///< of the usual violation
  std::optional<base::Severity> milder;  ///< some cases are reported with this severity
  std::string_view statement;            ///< what must hold, one line
  std::string_view explanation;          ///< why, and what exactly is compared
  std::string_view source;
  std::string_view platform;            ///< the examples are meant for it; empty: any
  std::string_view accepted, rejected;  ///< lines that keep and break the rule
  /// Families and mnemonics on whose pages it is listed; empty: it concerns every instruction, or none.
  std::string_view concerns = {};
};

/// All rules, by area, then in the order of the areas' own tables.
[[nodiscard]] std::span<const Rule> rules(Area area);
[[nodiscard]] std::string_view area_title(Area area);
/// The rule with this id, or nullptr.
[[nodiscard]] const Rule* find_rule(std::string_view id);

}  // namespace heddle::verify
