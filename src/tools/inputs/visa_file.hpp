// SPDX-License-Identifier: MIT
#pragma once
// A vISA program from a file of either form: text, or a container (recognized by its magic).

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "heddle/program.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"
#include "job/opencl/dumps.hpp"
#include "tools/command_line/console.hpp"

namespace heddle::tools {

struct VisaFile {
  std::string name;   ///< for messages: "-" became "<stdin>"
  std::string bytes;  ///< the whole file; moved into `shared` when it was parsed as text
  std::shared_ptr<const std::string> shared;
  bool binary = false;
  std::string source_name, source;   ///< of a shader that was compiled: its file and, where it was read as text, that
  std::vector<job::TextPart> parts;  ///< of a text that several files make up
  std::optional<isa::Platform> platform;
  std::optional<isa::Program> program;
  base::Diagnostics diagnostics;

  [[nodiscard]] const std::string& content() const { return shared ? *shared : bytes; }
  /// The same with places in the files that the text was put together of.
  [[nodiscard]] base::Diagnostic placed(base::Diagnostic diagnostic) const;
  /// The text of a file that places name: this one, or one of its parts; empty: another file.
  [[nodiscard]] std::string_view text_of(const std::string& file) const;
  /// Prints what was found while reading.
  void report(const Common& common, OutputFormat format = OutputFormat::Text) const;
};

/// Prints what was found in a file, in clang's style to standard error or as JSON lines.
void print_diagnostics(const base::Diagnostics& diagnostics, const VisaFile& file, const Common& common,
                       OutputFormat format = OutputFormat::Text);

/// Reads and parses. A failure that leaves nothing to report (no such file, unknown platform) is printed, and its exit
/// code returned. `rules_are_errors`: text is read for checking (text::ParseOptions::rules_are_errors).
[[nodiscard]] std::variant<VisaFile, base::ExitCode> read_visa(const std::string& path, const ProgramOptions& options,
                                                               const Common& common, bool rules_are_errors = false);

/// The same over bytes that were read already: `file` has its name and bytes. Done, or Usage for an unknown platform.
[[nodiscard]] base::ExitCode parse_visa(VisaFile& file, const ProgramOptions& options, const Common& common,
                                        bool rules_are_errors = false);

/// A program for commands that do nothing but read and write vISA. Everything found is printed; an exit code where
/// there is no program. A file that is plainly something else is one message (input-unknown).
[[nodiscard]] std::variant<Program, base::ExitCode> load_program(const std::string& path, const ProgramOptions& options,
                                                                 const Common& common);

}  // namespace heddle::tools
