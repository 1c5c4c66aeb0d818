// SPDX-License-Identifier: MIT
#pragma once
// Shaders as people write them, in GLSL: hashes, sorts, searches, small vector mathematics, work in shared memory,
// procedural pictures. What they give is not written down: two implementations must agree on it.

#include <string>
#include <vector>

namespace heddle::test {

/// A compute shader over buffers of 256 elements: binding 0 and 1 are read, binding 2 is written.
struct ComputeProgram {
  std::string name;
  std::string glsl;
  bool floats = false;   ///< the elements are float, compared within a bound; else 32-bit integers, compared exactly
  unsigned words = 1;    ///< of an element, with its padding
  unsigned visible = 1;  ///< components of an element
  unsigned local_size = 64;
};
/// 256 elements each.
[[nodiscard]] std::vector<ComputeProgram> compute_programs();

/// A fragment shader that draws 16 x 16 pixels of four floats.
struct PictureProgram {
  std::string name;
  std::string glsl;
};
[[nodiscard]] std::vector<PictureProgram> picture_programs();

}  // namespace heddle::test
