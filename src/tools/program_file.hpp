#pragma once
// A program from a file, whatever its kind: text (.visaasm, .isaasm), container (.isa), by its first bytes.

#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "isa/program.hpp"
#include "tools/commands.hpp"

namespace heddle::tools {

struct LoadedProgram {
  isa::Program program;
  std::string source;  ///< the text, for the lines under messages; empty for containers
};

/// Reads and parses; nothing when there are errors, which are in `diagnostics`. "-" is standard input.
[[nodiscard]] std::optional<LoadedProgram> load_program(const std::string& path, const ProgramOptions& options, const base::Limits& limits, base::Diagnostics& diagnostics);

}  // namespace heddle::tools
