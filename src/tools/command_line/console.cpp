// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/environment/environment.hpp"
#include "base/file.hpp"
#include "base/internal_error.hpp"
#include "tools/command_line/console.hpp"

namespace heddle::tools {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

bool use_color(int descriptor) {
  using base::Variable;
  if (const auto none = base::read_text_variable(Variable::NoColor); none && !none->empty()) return false;
  if (const auto force = base::read_text_variable(Variable::ForceColor); force && !force->empty() && *force != "0")
    return true;
  return is_terminal(descriptor);
}

namespace {
int lost_output = 0;  // the error that kept the first bytes from standard output
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && lost_output == 0) lost_output = errno;
}

bool flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0 && lost_output == 0) lost_output = errno;
  if (!failed_before && lost_output == 0) return true;
  // A reader that has seen enough (head) wants no message.
  if (lost_output != EPIPE)
    std::fputs(fmt::format("heddle: cannot write standard output: {}\n",
                           lost_output != 0 ? std::strerror(lost_output) : "bytes were lost")
                   .c_str(),
               stderr);
  return false;
}

void print_diagnostics(const base::Diagnostics& diagnostics, const std::string& file, const std::string& source,
                       OutputFormat format, bool quiet) {
  const base::SourceLookup lookup = [&](const std::string& name) {
    return name == file ? std::string_view(source) : std::string_view();
  };
  base::Diagnostics shown(diagnostics.all().size() + 1);
  for (const base::Diagnostic& d : diagnostics.all()) {
    if (quiet && d.severity != base::Severity::Error) continue;
    if (format == OutputFormat::Json)
      print(base::render_json(d) + "\n");
    else
      shown.add(d);
  }
  // All at once: the source is walked once for all messages.
  std::fputs(base::render(shown, lookup, use_color(STDERR_FILENO)).c_str(), stderr);
  if (diagnostics.suppressed() != 0 && format == OutputFormat::Text)
    std::fprintf(stderr, "note: %zu more messages are not shown; --max-errors raises the limit\n",
                 diagnostics.suppressed());
}

void print_diagnostics(const heddle::Diagnostics& diagnostics, OutputFormat format, bool quiet) {
  heddle::Diagnostics shown;
  shown.sources = diagnostics.sources;
  for (const heddle::Diagnostic& d : diagnostics) {
    if ((quiet && d.severity != Severity::Error) || d.id == "file-pipe") continue;
    if (d.id == "usage-argument")
      std::fputs(
          fmt::format("heddle: {}{}\n", d.message, d.notes.empty() ? "" : "; " + d.notes.front().message).c_str(),
          stderr);
    else if (format == OutputFormat::Json)
      print(to_json(d) + "\n");
    else
      shown.push_back(d);
  }
  std::fputs(to_text(shown, {}, use_color(STDERR_FILENO)).c_str(), stderr);
  if (diagnostics.suppressed != 0 && format == OutputFormat::Text)
    std::fputs(
        fmt::format("note: {} more messages are not shown; --max-errors raises the limit\n", diagnostics.suppressed)
            .c_str(),
        stderr);
}

void print_diagnostics(const std::vector<base::Diagnostic>& diagnostics) {
  for (const base::Diagnostic& d : diagnostics)
    if (d.id != "file-pipe") std::fputs(base::render(d, {}, use_color(STDERR_FILENO)).c_str(), stderr);
}

base::ExitCode exit_code(const heddle::Diagnostics& diagnostics) {
  if (reached_limit(diagnostics)) return base::ExitCode::Limit;
  if (!has_errors(diagnostics)) return base::ExitCode::Done;
  bool usage = true;
  for (const heddle::Diagnostic& d : diagnostics) {
    if (d.id.starts_with("file-")) return base::ExitCode::File;
    usage = usage && (d.severity != Severity::Error || d.id == "usage-argument");
  }
  return usage ? base::ExitCode::Usage : base::ExitCode::WrongInput;
}

base::ExitCode exit_code(const std::vector<base::Diagnostic>& diagnostics) {
  bool limit = false, file = false, flags = true, internal = false;
  for (const base::Diagnostic& d : diagnostics) {
    limit = limit || d.is_limit;
    internal = internal || base::is_internal_error(d);
    file = file || base::is_file_error(d);
    if (d.severity == base::Severity::Error) flags = flags && d.id == "usage-flag";
  }
  return internal ? base::ExitCode::Internal
         : limit  ? base::ExitCode::Limit
         : file   ? base::ExitCode::File
         : flags  ? base::ExitCode::Usage
                  : base::ExitCode::WrongInput;
}

}  // namespace heddle::tools
