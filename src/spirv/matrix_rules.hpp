// SPDX-License-Identifier: MIT
#pragma once
// SPV_KHR_cooperative_matrix, which SPIRV-Tools does not know: its rules, and what SPIRV-Tools is shown instead.

#include <cstdint>
#include <vector>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv {

/// Id: spirv-cooperative-matrix.
void check_cooperative_matrices(const Module& module, base::Diagnostics& diagnostics);

/// A module in which each matrix is a vector of four components, of a type of its own: what SPIRV-Tools checks of
/// vectors holds for matrices too.
class MatrixStandIns {
 public:
  explicit MatrixStandIns(const Module& module);
  [[nodiscard]] bool any() const { return any_; }
  /// Whether something else stands for an instruction.
  [[nodiscard]] bool replaces(const Instruction& i) const;
  /// Appends that, or nothing.
  void put(const Instruction& i, std::vector<std::uint32_t>& words) const;

 private:
  [[nodiscard]] bool is_matrix(std::uint32_t type) const;
  [[nodiscard]] bool indexes_matrix(const Instruction& i) const;
  void put_indices(const Instruction& i, std::vector<std::uint32_t>& words) const;

  const Module& module_;
  bool any_ = false;
};

}  // namespace heddle::spirv
