// SPDX-License-Identifier: MIT
#pragma once
// heddle.Program as the parts of the module pass it on.

#include <string>

#include "module.hpp"

namespace heddle::python {

struct PyProgram {
  Program program;
  std::string notes;
};

/// Blending, depth and stencil from a dict (heddle/_targets.py has the words).
[[nodiscard]] OutputState output_of(const py::handle& given);

}  // namespace heddle::python
