// SPDX-License-Identifier: MIT
#pragma once
// Values of many scalars (arrays, structures of arrays) stay in memory, and loops move them: a shader costs nothing by
// the size of its arrays.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv/compile/module/value.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

class ShaderContext;

class Blocks {
 public:
  /// Values of fewer scalars are taken apart.
  static constexpr std::uint32_t kMinScalars = 33;

  explicit Blocks(ShaderContext& context) : t_(context) {}

  /// Whether values of a type stay in memory where they come from there.
  [[nodiscard]] bool is_block(std::uint32_t type);
  /// The value that a pointer into memory leads to. `stays`: nothing writes there while the value is used; else it is
  /// copied to scratch.
  [[nodiscard]] Value loaded(const Pointer& pointer, bool stays);
  /// Stores a block, or a constant of many scalars; false: the value is neither, or goes to registers.
  [[nodiscard]] bool store(const Pointer& to, const Value& value);
  void copy(const Pointer& to, const Pointer& from);

  /// The part of a block that literal indices lead to.
  [[nodiscard]] std::shared_ptr<const Block> part(std::shared_ptr<const Block> whole,
                                                  std::span<const std::uint32_t> indices);
  /// The block that values of the parts of `type` are all parts of, in order; null: they are not.
  [[nodiscard]] std::shared_ptr<const Block> whole_of(std::uint32_t type, std::span<const std::uint32_t> ids);
  /// Whether the current OpStore is the first of a row that stores all parts of a block to the parts of a variable, as
  /// compilers write a copy from one layout to another: then the block is stored at once, and the others are done.
  [[nodiscard]] bool store_row();
  [[nodiscard]] bool is_done(const Instruction& store) const { return done_.contains(&store); }
  /// A block of its own for what the current instruction makes, in scratch.
  [[nodiscard]] Pointer temporary(std::uint32_t type);

  /// Where a constant lies beside the program; nothing: it is none, or too large.
  [[nodiscard]] std::optional<Pointer> constant(const Value& value);
  /// The surface of the constants; the first use declares it.
  [[nodiscard]] const std::string& surface();
  /// The lines that say what constants there are, once the program is written.
  void write_lines();

 private:
  void repeat(std::uint32_t count, const std::function<void(const Part& index)>& body);
  void clear(const Pointer& to);
  void fill(const Pointer& to, std::span<const Part> scalars);
  void fill_elements(const Pointer& to, std::span<const Part> scalars, std::uint32_t count);
  [[nodiscard]] bool holds_numbers(std::uint32_t type);

  ShaderContext& t_;
  std::unordered_set<const Instruction*> done_;  ///< stores of a row behind its first
  std::string surface_;
  std::vector<std::uint8_t> bytes_;
  std::map<std::vector<std::uint8_t>, std::uint32_t> places_;     ///< of constants, by their bytes
  std::unordered_map<std::uint32_t, std::uint32_t> temporaries_;  ///< by the result that they hold: their dword
};

}  // namespace heddle::spirv::compiler
