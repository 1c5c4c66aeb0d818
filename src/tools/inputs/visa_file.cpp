// SPDX-License-Identifier: MIT
#include "tools/inputs/visa_file.hpp"

#include <unistd.h>

#include <cstdio>
#include <vector>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "binary/reader.hpp"
#include "text/text.hpp"
#include "tools/inputs/input.hpp"

namespace heddle::tools {

base::Diagnostic VisaFile::placed(base::Diagnostic diagnostic) const {
  job::place_in_part(diagnostic.place, name, parts);
  for (base::Note& note : diagnostic.notes) job::place_in_part(note.place, name, parts);
  return diagnostic;
}

std::string_view VisaFile::text_of(const std::string& file) const {
  if (binary) return {};
  for (const job::TextPart& part : parts)
    if (file == part.file) return *part.text;
  return file == name ? std::string_view(content()) : std::string_view();
}

void VisaFile::report(const Common& common, OutputFormat format) const {
  print_diagnostics(diagnostics, *this, common, format);
}

void print_diagnostics(const base::Diagnostics& diagnostics, const VisaFile& file, const Common& common,
                       OutputFormat format) {
  if (file.parts.size() < 2) {
    static const std::string kNone;
    return print_diagnostics(diagnostics, file.name, file.binary ? kNone : file.content(), format, common.quiet);
  }
  const base::SourceLookup lookup = [&](const std::string& name) { return file.text_of(name); };
  for (const base::Diagnostic& d : diagnostics.all()) {
    if (common.quiet && d.severity != base::Severity::Error) continue;
    const base::Diagnostic placed = file.placed(d);
    if (format == OutputFormat::Json)
      print(base::render_json(placed) + "\n");
    else
      std::fputs(base::render(placed, lookup, use_color(STDERR_FILENO)).c_str(), stderr);
  }
}

base::ExitCode parse_visa(VisaFile& file, const ProgramOptions& options, const Common& common, bool rules_are_errors) {
  file.diagnostics = base::Diagnostics(common.limits.diagnostics);
  if (!options.platform.empty()) {
    file.platform = isa::find_platform(options.platform);
    if (!file.platform) {
      std::vector<std::string_view> names;
      for (const isa::PlatformInfo& p : isa::all_platforms()) names.push_back(p.name);
      const std::string_view near = base::nearest(options.platform, names);
      std::fprintf(stderr, "heddle: unknown platform '%s'%s%s%s\n", options.platform.c_str(),
                   near.empty() ? "" : "; did you mean ", std::string(near).c_str(), near.empty() ? "" : "?");
      return base::ExitCode::Usage;
    }
  }
  file.binary = file.bytes.starts_with("CISA");
  if (file.binary) {
    binary::ReadOptions o;
    o.lenient = options.lenient;
    o.document_codes = options.dialect == "document-codes";
    if (options.dialect == "12504") o.dialect = binary::DialectChoice::Igc12504;
    if (options.dialect == "newer") o.dialect = binary::DialectChoice::Newer;
    o.platform = file.platform;
    o.limits = common.limits;
    file.program = binary::read(base::as_bytes(file.bytes), file.name, o, file.diagnostics);
  } else {
    text::ParseOptions o;
    if (options.dialect == "12504") o.dialect = text::DialectChoice::Igc12504;
    if (options.dialect == "newer") o.dialect = text::DialectChoice::Newer;
    o.platform = file.platform;
    o.limits = common.limits;
    o.rules_are_errors = rules_are_errors;
    o.owner = file.shared = std::make_shared<const std::string>(std::move(file.bytes));
    file.program = text::parse(*file.shared, file.name, o, file.diagnostics);
  }
  return base::ExitCode::Done;
}

std::variant<VisaFile, base::ExitCode> read_visa(const std::string& path, const ProgramOptions& options,
                                                 const Common& common, bool rules_are_errors) {
  VisaFile file;
  file.name = path == "-" ? "<stdin>" : path;
  auto read = base::read_text(path, common.limits);
  if (!read) {
    print_diagnostics(read.diagnostics());
    return exit_code(read.diagnostics());
  }
  file.bytes = std::move(*read);
  if (const base::ExitCode code = parse_visa(file, options, common, rules_are_errors); code != base::ExitCode::Done)
    return code;
  return file;
}

std::variant<Program, base::ExitCode> load_program(const std::string& path, const ProgramOptions& options,
                                                   const Common& common) {
  auto content = base::read_text(path, common.limits);
  const auto visa = content.ok() ? expect_visa(path, *content) : base::Result<base::Done>(content.failure());
  if (!visa.ok()) {
    print_diagnostics(visa.diagnostics());
    return exit_code(visa.diagnostics());
  }
  const std::string name = path == "-" ? "<stdin>" : path;
  const auto how = library_options(options, common);
  auto program = content->starts_with("CISA") ? Program::read(base::as_bytes(*content), name, how)
                                              : Program::parse(std::move(*content), name, how);
  const Diagnostics& found = program.ok() ? program->warnings() : program.diagnostics();
  print_diagnostics(found, OutputFormat::Text, common.quiet);
  if (!program.ok()) return exit_code(found);
  return std::move(*program);
}

}  // namespace heddle::tools
