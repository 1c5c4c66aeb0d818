// SPDX-License-Identifier: MIT
#pragma once
// Variables: registers, scratch, shared memory, descriptors.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spirv/compile/module/value.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

class ShaderContext;

class Variables {
 public:
  explicit Variables(ShaderContext& context) : t_(context) {}

  /// OpVariable: allocates what it needs; the pointer is its value.
  void declare(const Instruction& i);
  /// A new general variable for each scalar of a type.
  [[nodiscard]] std::shared_ptr<std::vector<Part>> storage(std::uint32_t type, std::string_view hint);
  /// Where a lane's element 0 of scratch is, ud.
  [[nodiscard]] Part scratch_base();
  /// Room for a value of a type in each lane's scratch: its first dword.
  [[nodiscard]] std::uint32_t reserve_scratch(std::uint32_t type);
  [[nodiscard]] std::uint32_t scratch_dwords() const { return scratch_dwords_; }  ///< of one lane
  [[nodiscard]] std::uint32_t shared_bytes() const { return shared_bytes_; }

 private:
  void place_shared(Pointer& p);
  [[nodiscard]] bool is_shared_block(std::uint32_t type);
  [[nodiscard]] std::uint32_t reserve_shared(std::uint64_t bytes);
  void place_private(const Instruction& i, Pointer& p);
  [[nodiscard]] bool place_constant(const Instruction& i, Pointer& p);
  void initialize(const Instruction& i, const Pointer& p);
  [[nodiscard]] bool killed_may_read(const Instruction& variable) const;

  ShaderContext& t_;
  std::unordered_map<std::uint32_t, std::uint32_t> scratch_places_;  ///< variables of functions -> first dword
  std::optional<std::uint32_t> shared_blocks_;                       ///< where blocks of Workgroup memory begin
  std::uint32_t scratch_dwords_ = 0, shared_bytes_ = 0;
  Part scratch_base_;
};

}  // namespace heddle::spirv::compiler
