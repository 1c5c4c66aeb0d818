// SPDX-License-Identifier: MIT
#include "tools/inputs/source_file.hpp"

#include "base/file.hpp"
#include "tools/command_line/console.hpp"

namespace heddle::tools {
namespace {

base::ExitCode fail(const std::vector<base::Diagnostic>& problems, const SourceFile& file, const Common& common,
                    OutputFormat format) {
  base::Diagnostics list(common.limits.diagnostics);
  for (const base::Diagnostic& d : problems) list.add(d);
  print_diagnostics(list, file.name, file.bytes, format, common.quiet);
  return exit_code(problems);
}

/// The bytes and what they are. Done, or an exit code after printing.
base::ExitCode read(SourceFile& file, const SourceOptions& options, const Common& common, OutputFormat format) {
  file.name = file.path == "-" ? "<stdin>" : file.path;
  auto bytes = base::read_text(file.path, common.limits);
  if (!bytes.ok()) return fail(bytes.diagnostics(), file, common, format);
  file.bytes = std::move(*bytes);
  const auto language = language_of(file.path, file.bytes, options);
  if (!language.ok()) return fail(language.diagnostics(), file, common, format);
  file.language = *language;
  return base::ExitCode::Done;
}

/// Every kernel that ocloc dumped, with its functions.
std::variant<std::vector<SourceFile>, base::ExitCode> read_dumps(const SourceFile& given, const std::string& kernel,
                                                                 const Common& common, OutputFormat format) {
  const auto all = job::find_dumps(given.path, common.limits);
  if (!all.ok()) return fail(all.diagnostics(), given, common, format);
  std::vector<SourceFile> files;
  for (const job::KernelDump& dump : *all) {
    if (!kernel.empty() && dump.kernel != kernel) continue;
    auto text = job::read_dump(dump, common.limits);
    if (!text.ok()) return fail(text.diagnostics(), given, common, format);
    SourceFile& file = files.emplace_back();
    file.path = file.name = dump.file;
    file.bytes = std::move(text->text);
    file.parts = std::move(text->parts);
    file.platform = dump.platform;
  }
  if (!files.empty()) return files;
  return fail(job::choose_dump(*all, kernel, given.path).diagnostics(), given, common, format);
}

}  // namespace

std::variant<std::vector<SourceFile>, base::ExitCode> read_sources(const std::string& path,
                                                                   const SourceOptions& options, const Common& common,
                                                                   OutputFormat format) {
  SourceFile file;
  file.path = path;
  file.name = path;
  if (job::means_dumps(path, common.limits)) return read_dumps(file, options.entry, common, format);
  if (const auto code = read(file, options, common, format); code != base::ExitCode::Done) return code;
  std::vector<SourceFile> files;
  if (file.language != Language::Job) {
    files.push_back(std::move(file));
    return files;
  }
  const auto job = job::read_job(file.bytes, file.name, common.limits);
  if (!job.ok()) return fail(job.diagnostics(), file, common, format);
  const auto add = [&](const std::string& program, const std::string& entry, isa::ShaderStage wanted) {
    SourceFile& next = files.emplace_back();
    next.path = program;
    next.entry = entry;
    next.platform = job->platform;
    next.wanted = wanted;
    next.args = job->args;
    SourceOptions own;  // --language and --stage speak of the input
    return read(next, own, common, format);
  };
  auto code = add(job->program, job->entry, job->pixels ? isa::ShaderStage::Fragment : isa::ShaderStage::Compute);
  for (const job::StageKeys& keys : job::kStageKeys)
    if (code == base::ExitCode::Done && job->pixels && job->pixels->has(keys.stage))
      code = add(job->pixels->stages[keys.stage].path, job->pixels->stages[keys.stage].entry, keys.stage);
  if (code != base::ExitCode::Done) return code;
  return files;
}

}  // namespace heddle::tools
