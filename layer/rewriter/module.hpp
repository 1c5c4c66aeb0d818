// SPDX-License-Identifier: MIT
#pragma once
// A SPIR-V module as a list of instructions, and what a rewriter asks of it. Nothing is believed: what does not fit is
// not read.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::layer {

using Words = std::vector<std::uint32_t>;

struct Instruction {
  std::span<const std::uint32_t> words;  ///< the first has the opcode and the count
  std::uint32_t type = 0, result = 0;    ///< 0: has none
  [[nodiscard]] std::uint16_t opcode() const { return static_cast<std::uint16_t>(words[0] & 0xffffu); }
  /// The word at a place, 0 where the instruction is shorter.
  [[nodiscard]] std::uint32_t word(std::size_t at) const { return at < words.size() ? words[at] : 0; }
};

/// Whether any instruction is an OpImageSampleFootprintNV. False for what is no module of this byte order.
[[nodiscard]] bool has_footprints(std::span<const std::uint32_t> words);

/// Reads; the words must outlive it.
class Module {
 public:
  /// Nothing where the instructions do not fill the words.
  [[nodiscard]] static std::optional<Module> read(std::span<const std::uint32_t> words);

  [[nodiscard]] std::uint32_t version() const { return header_[1]; }
  [[nodiscard]] std::uint32_t bound() const { return header_[3]; }
  [[nodiscard]] std::span<const std::uint32_t> header() const { return header_; }
  [[nodiscard]] const std::vector<Instruction>& instructions() const { return instructions_; }
  /// Where the types begin, and where the functions: indices of instructions.
  [[nodiscard]] std::size_t types() const { return types_; }
  [[nodiscard]] std::size_t functions() const { return functions_; }
  /// The instruction that makes an id, or null.
  [[nodiscard]] const Instruction* definition(std::uint32_t id) const;
  [[nodiscard]] std::uint32_t type_of(std::uint32_t id) const;
  /// The literal of a decoration of an id.
  [[nodiscard]] std::optional<std::uint32_t> decoration(std::uint32_t id, std::uint32_t which) const;
  [[nodiscard]] bool has_capability(std::uint32_t capability) const;

 private:
  std::span<const std::uint32_t> header_;
  std::vector<Instruction> instructions_;
  std::size_t types_ = 0, functions_ = 0;
  std::unordered_map<std::uint32_t, std::size_t> definitions_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> decorations_;
};

}  // namespace heddle::layer
