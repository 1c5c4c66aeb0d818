// SPDX-License-Identifier: MIT
// heddle dis: a container (or text) to canonical text.
#include <memory>

#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/inputs/visa_file.hpp"

namespace heddle::tools {
namespace {

struct DisOptions {
  Common common;
  ProgramOptions program;
  std::string input, output = "-";
};

base::ExitCode run_dis(const DisOptions& options) {
  const auto loaded = load_program(options.input, options.program, options.common);
  if (const auto* code = std::get_if<base::ExitCode>(&loaded)) return *code;
  const auto* program = std::get_if<Program>(&loaded);
  if (const auto written = base::write_file(options.output, program->print()); !written) {
    print_diagnostics(written.diagnostics());
    return exit_code(written.diagnostics());
  }
  return base::ExitCode::Done;
}

}  // namespace

void add_dis(Commands& commands) {
  const auto o = std::make_shared<DisOptions>();
  Command c = commands.add("dis", "disassemble a .isa file into text");
  c.example("heddle dis kernel.isa", "a container to text");
  c.example("heddle dis kernel.isa -o kernel2.visaasm", "into a file");
  c.option("input", o->input, ".isa file (text is printed in canonical form), - for standard input").required();
  c.option("-o,--output", o->output, "- for standard output").value_name("FILE").shows_default();
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] { return run_dis(*o); });
}

}  // namespace heddle::tools
