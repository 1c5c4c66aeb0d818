// SPDX-License-Identifier: MIT
#pragma once
// Where the elements of a cooperative matrix are (SPV-55): a subgroup has them side by side, as what a product of
// matrices takes.

#include <cstdint>

#include "spirv/compile/module/types.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

/// Lines of a matrix go along the lanes: its columns' elements of B and of accumulators, so that row r of one is a
/// part or two; of A its rows' elements. `across` counts along the lanes (rows of A, else columns), `along` the parts.
class MatrixPlaces {
 public:
  MatrixPlaces(const MatrixShape& shape, unsigned simd)
      : across_(shape.use == kMatrixA ? shape.rows : shape.columns),
        along_(shape.use == kMatrixA ? shape.columns : shape.rows),
        simd_(simd) {}

  struct Place {
    unsigned part = 0, lane = 0;
  };
  [[nodiscard]] Place of(unsigned across, unsigned along) const {
    if (simd_ >= across_) return {along % run(), across + along / run() * across_};
    return {across / simd_ * along_ + along, across % simd_};
  }
  [[nodiscard]] unsigned across() const { return across_; }
  [[nodiscard]] unsigned along() const { return along_; }
  /// Parts that follow each other along one line.
  [[nodiscard]] unsigned run() const { return simd_ >= across_ ? along_ * across_ / simd_ : along_; }
  [[nodiscard]] unsigned parts() const { return across_ * along_ / simd_; }

 private:
  unsigned across_, along_, simd_;
};

}  // namespace heddle::spirv::compiler
