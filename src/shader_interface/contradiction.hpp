// SPDX-License-Identifier: MIT
#pragma once
// What the lines of an interface say together.

#include <string>

#include "shader_interface/interface.hpp"

namespace heddle::shader_interface {

/// What is wrong with lines that make sense one by one: surfaces that the stage needs, places beyond records. Empty:
/// nothing.
[[nodiscard]] std::string contradiction(const ShaderInterface& interface);

}  // namespace heddle::shader_interface
