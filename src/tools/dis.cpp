// heddle dis: a container (or text) to canonical text.
#include <memory>

#include "base/file.hpp"
#include "heddle/program.hpp"
#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"

namespace heddle::tools {
namespace {

struct DisOptions {
  Common common;
  ProgramOptions program;
  std::string input, output = "-";
};

base::ExitCode run_dis(const DisOptions& options) {
  const auto program = Program::load(options.input, library_options(options.program, options.common));
  const Diagnostics& found = program.ok() ? program->warnings() : program.diagnostics();
  print_diagnostics(found, OutputFormat::Text, options.common.quiet);
  if (!program.ok()) return exit_code(found);
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
  c.option("-o,--output", o->output, "file, - for standard output").shows_default();
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] { return run_dis(*o); });
}

}  // namespace heddle::tools
