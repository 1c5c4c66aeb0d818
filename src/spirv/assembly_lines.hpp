// SPDX-License-Identifier: MIT
#pragma once
// A module without lines of a source, with its own assembly as the source.

#include <string>
#include <vector>

#include "spirv/module.hpp"

namespace heddle::spirv {

/// A text that a module has in it, or that it was made from.
struct ModuleSource {
  std::string name, text;
};

/// Whether any instruction says which line of a source it was made from (SPV-36).
[[nodiscard]] bool has_source_lines(const Module& module);

/// Gives a module that has no lines those of its canonical assembly: what is compiled from it names them (SPV-36), as
/// if it had been read from that text. `text` becomes the assembly, and `file` a name that ends in .spvasm. False:
/// nothing has changed, for it has lines, or cannot be disassembled.
bool take_assembly_lines(Module& module);

/// The sources that a module carries: OpSource, and DebugSource of NonSemantic.Shader.DebugInfo.100.
[[nodiscard]] std::vector<ModuleSource> carried_sources(const Module& module);

}  // namespace heddle::spirv
