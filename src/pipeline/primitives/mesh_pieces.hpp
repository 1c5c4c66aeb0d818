// SPDX-License-Identifier: MIT
#pragma once
// The mesh of a draw in pieces, which those make that draw them.

#include <cstddef>
#include <functional>

#include "pipeline/primitives/mesh.hpp"

namespace heddle::pipeline {

class MeshPieces {
 public:
  virtual ~MeshPieces() = default;
  /// How many are there at once.
  [[nodiscard]] virtual std::size_t places() const = 0;
  /// Says what the next piece is, which will be at that place; false: there is none. One call at a time.
  virtual bool next(std::size_t place) = 0;
  /// Makes the piece at a place, whose last one nobody uses any more. Several workers at once; false when the draw has
  /// to stop.
  virtual bool make(unsigned worker, std::size_t place, Mesh& mesh) = 0;
  /// Of the whole, what the pieces that have begun are: 0 to 1. Not beside next().
  [[nodiscard]] virtual double part() const = 0;
  /// Behind the last piece: whether making one failed.
  [[nodiscard]] virtual bool failed() const = 0;
};

/// Draws what pieces are made; false to stop.
using UsePieces = std::function<bool(MeshPieces&)>;

}  // namespace heddle::pipeline
