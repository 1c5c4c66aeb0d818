// SPDX-License-Identifier: MIT
#pragma once
// Which instructions of two objects stand for each other.

#include <array>
#include <cstdint>
#include <vector>

#include "tools/diff/sequence.hpp"

namespace heddle::tools {

/// Which variable or label of B one of A is; each has one partner at most.
class Correspondence {
 public:
  Correspondence(const Sequence& a, const Sequence& b);
  /// False where one of them has another partner already.
  bool join(ReferenceKind kind, std::uint32_t a, std::uint32_t b);
  [[nodiscard]] std::uint32_t partner(ReferenceKind kind, std::uint32_t a) const {
    const auto& table = to_b_[static_cast<std::size_t>(kind)];
    return a < table.size() ? table[a] : kNothing;
  }
  [[nodiscard]] bool same(const Reference& a, const Reference& b) const {
    return a.kind == b.kind && partner(a.kind, a.id) == b.id;
  }

 private:
  std::array<std::vector<std::uint32_t>, kReferenceKinds> to_b_, to_a_;
};

enum class PairKind : std::uint8_t { Same, Changed, OnlyA, OnlyB };
struct StepPair {
  PairKind kind = PairKind::Same;
  std::uint32_t a = kNothing, b = kNothing;  ///< numbers of steps
};

struct Alignment {
  std::vector<StepPair> pairs;  ///< in order; what is only in A before what is only in B
  Correspondence variables;
  [[nodiscard]] bool same() const;
};

/// The longest common sequence by weights: equal instructions count most, then those of one kind. Variables and labels
/// correspond where most of the instructions that stand for each other say so; inputs by their order.
[[nodiscard]] Alignment align(const Sequence& a, const Sequence& b);

}  // namespace heddle::tools
