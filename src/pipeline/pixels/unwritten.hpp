// SPDX-License-Identifier: MIT
#pragma once
// Inputs of fragments that the vertex shader left unwritten: a run that is checked reports who reads them
// (run-undefined-register).

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/report.hpp"
#include "machine/thread.hpp"
#include "pipeline/pixels/plan.hpp"

namespace heddle::pipeline {

class UnwrittenInputs {
 public:
  UnwrittenInputs(const PixelPlan& plan, const machine::Code& code);
  /// The threads that follow are of that primitive.
  void begin(const PrimitiveList& primitives, const Primitive& primitive);
  /// The registers of its inputs that nobody has written: a thread that has just started knows them as written.
  void mark(machine::Thread& thread) const;

 private:
  struct Input {
    std::size_t component = 0;        ///< of the mesh
    std::uint32_t at = 0, bytes = 0;  ///< in the register file
  };
  std::vector<Input> inputs_, unwritten_;
  std::uint32_t fresh_ = 0;  ///< registers of the kernel that no input fills: in a new thread, nothing has written them
};

/// Reports vertices of primitives whose shader did not write its position.
void check_positions(const Mesh& mesh, machine::Reports& reports);

}  // namespace heddle::pipeline
