// heddle as: vISA text to a container.
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "base/file.hpp"
#include "binary/writer.hpp"
#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
#include "tools/support/visa_file.hpp"

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
  auto read = read_visa(options.input, options.program, options.common);
  if (const auto* code = std::get_if<base::ExitCode>(&read)) return *code;
  const VisaFile& file = std::get<VisaFile>(read);
  file.report(options.common);
  if (!file.program || file.diagnostics.has_errors()) return file.diagnostics.exit_code();

  binary::WriteOptions write;
  write.dialect = file.program->dialect;  // newer only where the text asked for it or holds what only it can
  write.platform = file.platform;
  auto bytes = binary::write(*file.program, write);
  if (!bytes) {
    base::Diagnostics found(options.common.limits.diagnostics);
    for (const base::Diagnostic& d : bytes.diagnostics()) found.add(d);
    print_diagnostics(found, file.name, file.content(), OutputFormat::Text, options.common.quiet);
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
  c.option("input", o->input, "text, - for standard input").required();
  c.option("-o,--output", o->output, "file, - for standard output").shows_default();
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] { return run_as(*o); });
}

}  // namespace heddle::tools
