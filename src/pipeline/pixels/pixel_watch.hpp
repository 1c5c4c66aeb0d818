// SPDX-License-Identifier: MIT
#pragma once
// Who looks on while the reference engine runs the pixels of a draw, beside machine::Observer: what no thread sees. A
// run's observer may be one, too.

#include <array>
#include <cstdint>
#include <span>

#include "machine/pixels.hpp"
#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {

class PixelWatch {
 public:
  virtual ~PixelWatch() = default;
  /// The primitives that follow are of this mesh, which is there until the next one or the end of the run.
  virtual void mesh(const Mesh& mesh) = 0;
  /// The threads that follow are of this primitive, whose vertices are those of the mesh. `number`: group_id[2] of the
  /// threads.
  virtual void primitive(std::uint32_t number, const Primitive& primitive,
                         const std::array<std::uint32_t, 3>& vertices) = 0;
  /// Early tests were made (FBO-1), by that state: `before` is the lanes' coverage as the rasterizer found it,
  /// `input.coverage` what is left. Where nothing is, no thread starts. `payload`: its registers.
  virtual void tested(const machine::PixelState& state, const machine::PixelInput& input,
                      std::span<const std::uint16_t> before, std::span<const std::uint8_t> payload) = 0;
};

}  // namespace heddle::pipeline
