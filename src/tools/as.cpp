// heddle as: vISA text to a container.
#include <unistd.h>

#include <cstdio>

#include "base/file.hpp"
#include "binary/writer.hpp"
#include "tools/support/visa_file.hpp"

namespace heddle::tools {

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

}  // namespace heddle::tools
