// heddle dis: a container (or text) to canonical text.
#include "base/file.hpp"
#include "text/text.hpp"
#include "tools/support/visa_file.hpp"

namespace heddle::tools {

base::ExitCode run_dis(const DisOptions& options) {
  auto read = read_visa(options.input, options.program, options.common);
  if (const auto* code = std::get_if<base::ExitCode>(&read)) return *code;
  const VisaFile& file = std::get<VisaFile>(read);
  file.report(options.common);
  if (!file.program || file.diagnostics.has_errors()) return file.diagnostics.exit_code();
  if (const auto written = base::write_file(options.output, text::print(*file.program)); !written) {
    print_diagnostics(written.diagnostics());
    return exit_code(written.diagnostics());
  }
  return base::ExitCode::Done;
}

}  // namespace heddle::tools
