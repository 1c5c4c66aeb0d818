// SPDX-License-Identifier: MIT
#pragma once
// The control-flow graph of one object, for the rules that follow paths.

#include <cstdint>
#include <span>
#include <vector>

#include "isa/description.hpp"
#include "isa/program.hpp"

namespace heddle::verify {

inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

class FlowGraph {
 public:
  explicit FlowGraph(const isa::Object& object);

  struct BasicBlock {
    std::uint32_t first = 0, end = 0;  ///< instructions [first, end); empty for the exit of a subroutine
  };
  [[nodiscard]] const std::vector<BasicBlock>& blocks() const { return blocks_; }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t block) const {
    return {edges_.data() + first_edge_[block], first_edge_[block + 1] - first_edge_[block]};
  }

  [[nodiscard]] isa::FlowKind kind(std::uint32_t instruction) const { return kinds_[instruction]; }
  /// The instruction that defines a label, or kNowhere.
  [[nodiscard]] std::uint32_t definition(std::uint32_t label) const {
    return label < definition_.size() ? definition_[label] : kNowhere;
  }

  /// Subroutine 0 is the code that the object starts with (a `.function` line at its very top included).
  [[nodiscard]] std::uint32_t subroutine(std::uint32_t instruction) const { return subroutine_[instruction]; }
  [[nodiscard]] std::uint32_t subroutine_count() const { return static_cast<std::uint32_t>(subroutine_start_.size()); }
  [[nodiscard]] std::uint32_t subroutine_start(std::uint32_t index) const { return subroutine_start_[index]; }
  [[nodiscard]] std::uint32_t subroutine_end(std::uint32_t index) const {
    return index + 1 < subroutine_start_.size() ? subroutine_start_[index + 1]
                                                : static_cast<std::uint32_t>(kinds_.size());
  }
  /// The subroutine that a call enters, or kNowhere.
  [[nodiscard]] std::uint32_t callee(const isa::Instruction& call) const;

  /// Bits that reach each block: those that `generated` says of some block on a path to it. Bit 63 of the start block
  /// is set by the solver and tells which blocks are reached at all; at most 63 bits are the caller's.
  [[nodiscard]] std::vector<std::uint64_t> reaching(std::span<const std::uint64_t> generated) const;
  static constexpr std::uint64_t kReached = std::uint64_t{1} << 63;

 private:
  void find_labels();
  void build();
  void sort();

  const isa::Object& object_;
  std::vector<isa::FlowKind> kinds_;
  std::vector<std::uint32_t> definition_, subroutine_, subroutine_start_;
  std::vector<BasicBlock> blocks_;
  std::vector<std::uint32_t> first_edge_, edges_, order_;
};

}  // namespace heddle::verify
