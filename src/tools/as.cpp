// SPDX-License-Identifier: MIT
// heddle as: vISA text to a container.
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/inputs/visa_file.hpp"

namespace heddle::tools {
namespace {

struct AsOptions {
  Common common;
  ProgramOptions program;
  std::string input, output = "-";
};

base::ExitCode run_as(const AsOptions& options) {
  if (options.output == "-" && is_terminal(STDOUT_FILENO)) {
    std::fputs("heddle: will not write a binary to a terminal; name a file with -o, or redirect standard output\n",
               stderr);
    return base::ExitCode::Usage;
  }
  const auto loaded = load_program(options.input, options.program, options.common);
  if (const auto* code = std::get_if<base::ExitCode>(&loaded)) return *code;
  const auto* program = std::get_if<Program>(&loaded);
  const auto bytes = program->write();  // newer only where the text asked for it or holds what only it can
  if (!bytes.ok()) {
    print_diagnostics(bytes.diagnostics(), OutputFormat::Text, options.common.quiet);
    return exit_code(bytes.diagnostics());
  }
  if (const auto written = base::write_file(options.output, *bytes); !written) {
    print_diagnostics(written.diagnostics());
    return exit_code(written.diagnostics());
  }
  return base::ExitCode::Done;
}

}  // namespace

void add_as(Commands& commands) {
  const auto o = std::make_shared<AsOptions>();
  Command c = commands.add("as", "assemble vISA text (.visaasm) into a .isa file");
  c.example("heddle as kernel.visaasm -o kernel.isa", "text to a container");
  c.option("input", o->input, "text, - for standard input").required();
  c.option("-o,--output", o->output, "- for standard output").value_name("FILE").shows_default();
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] { return run_as(*o); });
}

}  // namespace heddle::tools
