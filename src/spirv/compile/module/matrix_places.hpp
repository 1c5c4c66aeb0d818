// SPDX-License-Identifier: MIT
#pragma once
// Where the elements of a cooperative matrix are (SPV-55): a subgroup has them side by side, as what a product of
// matrices takes.

#include <cstdint>

#include "spirv/compile/module/types.hpp"

namespace heddle::spirv::compiler {

/// Columns go along the lanes, rows along the parts: row r of a matrix is a part or two, and rows that lie together in
/// memory are read as they lie there. Of A each element is the same for all lanes of a product, wherever it is.
class MatrixPlaces {
 public:
  MatrixPlaces(const MatrixShape& shape, unsigned simd) : rows_(shape.rows), columns_(shape.columns), simd_(simd) {}

  struct Place {
    unsigned part = 0, lane = 0;
  };
  [[nodiscard]] Place of(unsigned row, unsigned column) const {
    if (simd_ >= columns_) return {row % run(), column + row / run() * columns_};
    return {column / simd_ * rows_ + row, column % simd_};
  }
  [[nodiscard]] unsigned rows() const { return rows_; }
  [[nodiscard]] unsigned columns() const { return columns_; }
  /// Parts that follow each other down one column.
  [[nodiscard]] unsigned run() const { return simd_ >= columns_ ? rows_ * columns_ / simd_ : rows_; }
  [[nodiscard]] unsigned parts() const { return rows_ * columns_ / simd_; }

 private:
  unsigned rows_, columns_, simd_;
};

}  // namespace heddle::spirv::compiler
