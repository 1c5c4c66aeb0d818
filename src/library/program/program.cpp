// SPDX-License-Identifier: MIT
#include "heddle/program.hpp"

#include <fmt/format.h>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "binary/reader.hpp"
#include "binary/writer.hpp"
#include "library/program/impl.hpp"
#include "text/text.hpp"

namespace heddle {
namespace library {

Result<std::optional<isa::Platform>> find_platform(const std::string& name) {
  if (name.empty()) return std::optional<isa::Platform>();
  if (const auto platform = isa::find_platform(name)) return platform;
  Diagnostic d = wrong_argument(fmt::format("unknown platform '{}'", name));
  const std::string_view near = base::nearest(name, platform_names());
  if (!near.empty()) d.notes.push_back({fmt::format("did you mean {}?", near), {}});
  return d;
}

std::string input_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

namespace {

Result<ReadProgram> begin(std::size_t bytes, const std::string& file, const ProgramOptions& options) {
  const auto platform = find_platform(options.platform);
  if (!platform.ok()) return platform.diagnostics();
  if (bytes > options.limits.input_bytes)
    return to_public(base::limit_error("limit-input", fmt::format("'{}' has {} bytes, more than the limit of {}", file,
                                                                  bytes, options.limits.input_bytes)));
  ReadProgram read;
  read.platform = *platform;
  read.kept = options.limits.diagnostics;
  read.found = base::Diagnostics(read.kept);
  return read;
}

Result<ReadProgram> read_text(std::string text, const std::string& file, const ProgramOptions& options,
                              bool rules_are_errors) {
  auto read = begin(text.size(), file, options);
  if (!read.ok()) return read;
  text::ParseOptions o;
  o.platform = read->platform;
  if (options.dialect == Dialect::Igc12504) o.dialect = text::DialectChoice::Igc12504;
  if (options.dialect == Dialect::Newer) o.dialect = text::DialectChoice::Newer;
  o.limits = to_base(options.limits);
  o.rules_are_errors = rules_are_errors;
  o.owner = read->source = std::make_shared<const std::string>(std::move(text));
  read->program = text::parse(*o.owner, file, o, read->found);
  return read;
}

Result<ReadProgram> read_container(std::span<const std::uint8_t> bytes, const std::string& file,
                                   const ProgramOptions& options) {
  auto read = begin(bytes.size(), file, options);
  if (!read.ok()) return read;
  binary::ReadOptions o;
  o.platform = read->platform;
  o.lenient = options.lenient;
  o.document_codes = options.dialect == Dialect::DocumentCodes;
  if (options.dialect == Dialect::Igc12504) o.dialect = binary::DialectChoice::Igc12504;
  if (options.dialect == Dialect::Newer) o.dialect = binary::DialectChoice::Newer;
  o.limits = to_base(options.limits);
  read->program = binary::read(bytes, file, o, read->found);
  return read;
}

/// A program that was read without errors, or all that was found.
Result<Program> finish(Result<ReadProgram>&& read, const std::string& file, Diagnostics warnings = {},
                       std::optional<std::vector<SourceText>> made_from = {}) {
  if (!read.ok()) return read.diagnostics();
  append(warnings, to_public(read->found));
  if (!warnings.empty() && read->source) warnings.sources.push_back({file, read->source});
  if (!read->program || read->found.has_errors()) return warnings;
  auto impl = std::make_shared<Program::Impl>();
  impl->program = std::move(*read->program);
  impl->platform = read->platform;
  impl->diagnostics_kept = read->kept;
  impl->warnings = std::move(warnings);
  if (made_from) {
    impl->program.written = isa::Program::Written::InMemory;
    impl->made_from = std::move(*made_from);
  }
  return Program(std::move(impl));
}

}  // namespace

Result<Program> parse(std::string text, const std::string& file, const ProgramOptions& options, Diagnostics warnings) {
  return finish(read_text(std::move(text), file, options, false), file, std::move(warnings));
}

Result<Program> parse_compiled(std::string text, const std::string& file, const ProgramOptions& options,
                               Diagnostics warnings, std::vector<SourceText> made_from) {
  return finish(read_text(std::move(text), file, options, false), file, std::move(warnings), std::move(made_from));
}

Result<ReadProgram> read_either(std::string content, const std::string& file, const ProgramOptions& options,
                                bool rules_are_errors) {
  if (content.starts_with("CISA")) return read_container(base::as_bytes(content), file, options);
  return read_text(std::move(content), file, options, rules_are_errors);
}

}  // namespace library

std::vector<std::string_view> platform_names() {
  std::vector<std::string_view> names;
  for (const isa::PlatformInfo& p : isa::all_platforms()) names.push_back(p.name);
  return names;
}

std::optional<std::string_view> find_platform(std::string_view word) {
  const auto platform = isa::find_platform(word);
  return platform ? std::optional(isa::platform_info(*platform).name) : std::nullopt;
}

Result<Program> Program::parse(std::string text, const std::string& file, const ProgramOptions& options) {
  return library::parse(std::move(text), file, options, {});
}

Result<Program> Program::read(std::span<const std::uint8_t> bytes, const std::string& file,
                              const ProgramOptions& options) {
  return library::finish(library::read_container(bytes, file, options), file);
}

Result<Program> Program::load(const std::string& path, const ProgramOptions& options) {
  auto content = base::read_text(path, library::to_base(options.limits));
  if (!content.ok()) return library::to_public(content.diagnostics());
  const std::string name = library::input_name(path);
  return library::finish(library::read_either(std::move(*content), name, options), name);
}

std::string Program::print() const { return text::print(impl_->program); }

Result<std::vector<std::uint8_t>> Program::write() const {
  binary::WriteOptions o;
  o.dialect = impl_->program.dialect;
  o.platform = impl_->platform;
  auto bytes = binary::write(impl_->program, o);
  if (bytes.ok()) return std::move(*bytes);
  base::Diagnostics found(impl_->diagnostics_kept);
  for (const base::Diagnostic& d : bytes.diagnostics()) found.add(d);
  Diagnostics problems = library::to_public(found);
  if (impl_->program.source) problems.sources.push_back({file(), impl_->program.source});
  return problems;
}

Result<Done> Program::save(const std::string& path) const {
  if (!path.ends_with(".isa")) return library::done(base::write_file(path, std::string_view(print())));
  const auto bytes = write();
  if (!bytes.ok()) return bytes.diagnostics();
  return library::done(base::write_file(path, *bytes));
}

const std::string& Program::file() const { return impl_->program.file; }
const Diagnostics& Program::warnings() const { return impl_->warnings; }
std::string_view Program::source() const {
  return impl_->program.source ? std::string_view(*impl_->program.source) : std::string_view();
}

std::vector<std::string> Program::kernels() const {
  std::vector<std::string> names;
  for (const isa::Object& object : impl_->program.objects)
    if (object.kind == isa::ObjectKind::Kernel) names.push_back(object.name);
  return names;
}

std::uint64_t Program::instructions() const {
  std::uint64_t count = 0;
  for (const isa::Object& object : impl_->program.objects) count += object.instructions.size();
  return count;
}

}  // namespace heddle
