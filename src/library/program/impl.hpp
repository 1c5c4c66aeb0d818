// SPDX-License-Identifier: MIT
#pragma once
// What a public program holds.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "heddle/program.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"
#include "library/convert.hpp"

namespace heddle {

struct Program::Impl {
  isa::Program program;
  std::optional<isa::Platform> platform;
  Diagnostics warnings;
  std::uint64_t diagnostics_kept = 0;  ///< Limits::diagnostics
  std::vector<SourceText> made_from;   ///< of a compiled shader: the texts that its module holds
};

namespace library {

/// Name of a path in messages: "-" is "<stdin>".
[[nodiscard]] std::string input_name(const std::string& path);
/// Nothing for an empty name; a diagnostic for an unknown one.
[[nodiscard]] Result<std::optional<isa::Platform>> find_platform(const std::string& name);
/// A program of text, with what was found before it was parsed.
[[nodiscard]] Result<Program> parse(std::string text, const std::string& file, const ProgramOptions& options,
                                    Diagnostics warnings);
/// The program of a shader, whose lines its reports name.
[[nodiscard]] Result<Program> parse_compiled(std::string text, const std::string& file, const ProgramOptions& options,
                                             Diagnostics warnings, std::vector<SourceText> made_from);

/// What reading gave, whether or not there were errors.
struct ReadProgram {
  std::optional<isa::Platform> platform;
  std::optional<isa::Program> program;        ///< of a container with errors: may name things that do not exist
  std::shared_ptr<const std::string> source;  ///< of text
  base::Diagnostics found;
  std::uint64_t kept = 0;  ///< Limits::diagnostics
};
/// Reads either form; the content decides. `rules_are_errors`: text is read for checking
/// (text::ParseOptions::rules_are_errors). Ids: usage-argument (platform), limit-input.
[[nodiscard]] Result<ReadProgram> read_either(std::string content, const std::string& file,
                                              const ProgramOptions& options, bool rules_are_errors = false);

}  // namespace library
}  // namespace heddle
