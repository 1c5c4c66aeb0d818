#include "tools/program_file.hpp"

#include <fmt/format.h>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "text/text.hpp"

namespace heddle::tools {

std::optional<LoadedProgram> load_program(const std::string& path, const ProgramOptions& options, const base::Limits& limits, base::Diagnostics& diagnostics) {
  const auto bytes = base::read_file(path, limits);
  if (!bytes.ok()) {
    for (const base::Diagnostic& d : bytes.diagnostics()) diagnostics.add(d);
    return std::nullopt;
  }
  LoadedProgram loaded;
  loaded.source = std::string(base::as_text(*bytes));
  text::ParseOptions parse;
  parse.limits = limits;
  if (!options.platform.empty()) parse.platform = isa::find_platform(options.platform);
  if (options.dialect == "12504") parse.dialect = text::DialectChoice::Igc12504;
  if (options.dialect == "newer") parse.dialect = text::DialectChoice::Newer;
  auto program = text::parse(loaded.source, path, parse, diagnostics);
  if (!program || diagnostics.has_errors()) return std::nullopt;
  loaded.program = std::move(*program);
  return loaded;
}

}  // namespace heddle::tools
