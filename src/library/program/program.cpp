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
  if (!near.empty()) d.notes.push_back({fmt::format("did you mean '{}'?", near), {}});
  return d;
}

namespace {

/// A program that was read without errors, or all that was found.
Result<Program> finish(std::optional<isa::Program>&& program, const base::Diagnostics& found,
                       std::optional<isa::Platform> platform, Diagnostics warnings) {
  for (const base::Diagnostic& d : found.all()) warnings.push_back(to_public(d));
  if (!program || found.has_errors()) return warnings;
  auto impl = std::make_shared<Program::Impl>();
  impl->program = std::move(*program);
  impl->platform = platform;
  impl->warnings = std::move(warnings);
  return Program(std::move(impl));
}

}  // namespace

Result<Program> parse(std::string text, const std::string& file, const ProgramOptions& options, Diagnostics warnings) {
  const auto platform = find_platform(options.platform);
  if (!platform.ok()) return platform.diagnostics();
  if (text.size() > options.limits.input_bytes)
    return to_public(base::limit_error("limit-input", fmt::format("'{}' has {} bytes, more than the limit of {}", file,
                                                                  text.size(), options.limits.input_bytes)));
  text::ParseOptions o;
  o.platform = *platform;
  if (options.dialect == Dialect::Igc12504) o.dialect = text::DialectChoice::Igc12504;
  if (options.dialect == Dialect::Newer) o.dialect = text::DialectChoice::Newer;
  o.limits = to_base(options.limits);
  o.owner = std::make_shared<const std::string>(std::move(text));
  base::Diagnostics found(options.limits.diagnostics);
  auto program = text::parse(*o.owner, file, o, found);
  return finish(std::move(program), found, *platform, std::move(warnings));
}

}  // namespace library

std::vector<std::string_view> platform_names() {
  std::vector<std::string_view> names;
  for (const isa::PlatformInfo& p : isa::all_platforms()) names.push_back(p.name);
  return names;
}

Result<Program> Program::parse(std::string text, const std::string& file, const ProgramOptions& options) {
  return library::parse(std::move(text), file, options, {});
}

Result<Program> Program::read(std::span<const std::uint8_t> bytes, const std::string& file,
                              const ProgramOptions& options) {
  const auto platform = library::find_platform(options.platform);
  if (!platform.ok()) return platform.diagnostics();
  binary::ReadOptions o;
  o.platform = *platform;
  o.lenient = options.lenient;
  if (options.dialect == Dialect::Igc12504) o.dialect = binary::DialectChoice::Igc12504;
  if (options.dialect == Dialect::Newer) o.dialect = binary::DialectChoice::Newer;
  o.limits = library::to_base(options.limits);
  base::Diagnostics found(options.limits.diagnostics);
  auto program = binary::read(bytes, file, o, found);
  return library::finish(std::move(program), found, *platform, {});
}

Result<Program> Program::load(const std::string& path, const ProgramOptions& options) {
  auto text = base::read_text(path, library::to_base(options.limits));
  if (!text.ok()) return library::to_public(text.diagnostics());
  if (text->starts_with("CISA")) return read(base::as_bytes(*text), path, options);
  return parse(std::move(*text), path, options);
}

std::string Program::print() const { return text::print(impl_->program); }

Result<std::vector<std::uint8_t>> Program::write() const {
  binary::WriteOptions o;
  o.dialect = impl_->program.dialect;
  o.platform = impl_->platform;
  return library::map(binary::write(impl_->program, o), [](std::vector<std::uint8_t>&& bytes) { return bytes; });
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
