#pragma once
// What a public program holds.

#include <memory>
#include <optional>
#include <string>

#include "heddle/program.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"
#include "library/convert.hpp"

namespace heddle {

struct Program::Impl {
  isa::Program program;
  std::optional<isa::Platform> platform;
  Diagnostics warnings;
};

namespace library {

/// Nothing for an empty name; a diagnostic for an unknown one.
[[nodiscard]] Result<std::optional<isa::Platform>> find_platform(const std::string& name);
/// A program of text, with what was found before it was parsed.
[[nodiscard]] Result<Program> parse(std::string text, const std::string& file, const ProgramOptions& options,
                                    Diagnostics warnings);

}  // namespace library
}  // namespace heddle
