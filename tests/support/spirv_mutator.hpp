// SPDX-License-Identifier: MIT
#pragma once
// Changes SPIR-V modules so that their grammar stays: operands become others of the same type, operations others of
// their family, constants, decorations and types go to extremes. The same seed makes the same module.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace heddle::test {

class SpirvMutator {
 public:
  explicit SpirvMutator(std::uint32_t seed) : random_(seed) {}
  /// The module's words with `changes` changes; what is no module comes back as it is.
  [[nodiscard]] std::vector<std::uint32_t> mutate(std::span<const std::uint32_t> module, unsigned changes);

 private:
  struct Instruction;
  struct Index;
  [[nodiscard]] std::uint32_t below(std::size_t count) { return static_cast<std::uint32_t>(random_() % count); }
  [[nodiscard]] std::uint32_t extreme();
  bool exchange_operand(std::vector<std::uint32_t>& words, const Index& index);
  bool exchange_operation(std::vector<std::uint32_t>& words, const Index& index);
  bool change_constant(std::vector<std::uint32_t>& words, const Index& index);
  bool change_decoration(std::vector<std::uint32_t>& words, const Index& index);
  bool change_type(std::vector<std::uint32_t>& words, const Index& index);
  bool change_literal(std::vector<std::uint32_t>& words, const Index& index);
  bool remove_instruction(std::vector<std::uint32_t>& words, const Index& index);

  std::mt19937 random_;
};

}  // namespace heddle::test
