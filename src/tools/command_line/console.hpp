// SPDX-License-Identifier: MIT
#pragma once
// Standard output, messages, exit codes.

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "heddle/result.hpp"
#include "tools/command_line/options.hpp"

namespace heddle::tools {

/// To standard output. What does not arrive there is found by flush_output.
void print(std::string_view text);
/// At the end of every command: false, after saying why, where standard output did not take everything.
bool flush_output();

/// Prints diagnostics to standard error in clang's style (color by NO_COLOR, CLICOLOR_FORCE, then isatty), or as JSON
/// lines to standard output. `source` is the text that Text places of `file` refer to; may be empty.
void print_diagnostics(const base::Diagnostics& diagnostics, const std::string& file, const std::string& source,
                       OutputFormat format = OutputFormat::Text, bool quiet = false);
void print_diagnostics(const std::vector<base::Diagnostic>& diagnostics);
/// Exit code for a failed Result: 4 for limits, 3 for file errors, 2 for usage-flag alone, else 1.
base::ExitCode exit_code(const std::vector<base::Diagnostic>& diagnostics);
/// The same for what the library found. An argument that makes no sense is a usage error: "heddle: message".
void print_diagnostics(const heddle::Diagnostics& diagnostics, OutputFormat format = OutputFormat::Text,
                       bool quiet = false);
/// Done where there is no error; else as above. Arguments that make no sense: 2.
base::ExitCode exit_code(const heddle::Diagnostics& diagnostics);
/// True when a stream is a terminal.
bool is_terminal(int descriptor);
bool use_color(int descriptor);

}  // namespace heddle::tools
