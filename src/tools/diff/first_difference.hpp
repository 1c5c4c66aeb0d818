// SPDX-License-Identifier: MIT
#pragma once
// Two runs on the same inputs: the first instruction whose result differs.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/program.hpp"
#include "machine/observer.hpp"

namespace heddle::tools {

/// Instructions that stand for each other have one number.
using PairNumbers = std::unordered_map<const isa::Instruction*, std::uint32_t>;

/// One side of the first difference.
struct Executed {
  const isa::Object* object = nullptr;
  const isa::Instruction* instruction = nullptr;  ///< null: this run had ended the stretch
  std::uint32_t lanes = 0;
  std::string value;  ///< of the part that differs; empty where it is the lanes or the way
};
struct FirstDifference {
  enum class What : std::uint8_t {
    Value,  ///< one result differs
    Lanes,  ///< the same instruction, for other lanes
    Way,    ///< another instruction is next
  } what = What::Value;
  std::array<std::uint32_t, 3> group{};
  std::uint32_t thread = 0;
  std::optional<std::uint32_t> lane;
  std::optional<std::array<std::uint32_t, 2>> pixel;
  std::string part;  ///< which part of the result: "lane 3", "V34.64"
  Executed a, b;
};

/// Runs a program under an observer; false where it could not run.
using ObservedRun = std::function<bool(machine::Observer&)>;

/// `a` and `b` are run once, and once more where they differ. Results of instructions without a partner count only by
/// what is computed of them. Nothing where all results are the same, or a run failed (`failed`).
[[nodiscard]] std::optional<FirstDifference> find_first_difference(const ObservedRun& a, const PairNumbers& numbers_a,
                                                                   const ObservedRun& b, const PairNumbers& numbers_b,
                                                                   bool& failed);

}  // namespace heddle::tools
