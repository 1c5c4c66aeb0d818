// SPDX-License-Identifier: MIT
#pragma once
// What each id of the module is: constants, and what instructions have given so far.

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "spirv/compile/module/value.hpp"

namespace heddle::spirv::compiler {

class ShaderContext;

class Values {
 public:
  explicit Values(ShaderContext& context) : t_(context) {}

  [[nodiscard]] const Value& of(std::uint32_t id);
  /// As of(), but a pointer stays what it is: nothing is written to hold it.
  [[nodiscard]] const Value& unread(std::uint32_t id);
  /// As of(), but a block stays where it is.
  [[nodiscard]] const Value& stored(std::uint32_t id);
  /// What an instruction gave; null: nothing yet.
  [[nodiscard]] Value* computed(std::uint32_t id);
  [[nodiscard]] Part part(std::uint32_t id, unsigned index = 0);  ///< one scalar of a value; Undefined parts become 0
  [[nodiscard]] std::size_t size(std::uint32_t id) { return of(id).parts.size(); }
  /// A constant integer (specialization included); of a value that is computed, once it is.
  [[nodiscard]] std::optional<std::uint64_t> integer(std::uint32_t id);
  void set(std::uint32_t id, Value value);

 private:
  ShaderContext& t_;
  std::unordered_map<std::uint32_t, Value> values_;
  std::unordered_map<std::uint32_t, Value> pointer_values_;  ///< pointers as scalars, made anew where they are used
  std::unordered_map<std::uint32_t, Value> block_values_;    ///< blocks as scalars, read anew where they are used
};

}  // namespace heddle::spirv::compiler
