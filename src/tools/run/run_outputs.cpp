// SPDX-License-Identifier: MIT
#include "tools/run/run_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"

namespace heddle::tools {
namespace fs = std::filesystem;

base::Result<base::Done> check_outputs(const job::Job& job, const RunOptions& o) {
  std::map<std::string, std::string> taken;  // path -> the flag or member that writes it
  std::vector<base::Diagnostic> problems;
  const auto take = [&](const std::string& path, const std::string& who, const base::Place& place) {
    if (path.empty() || path == "-") return;
    std::error_code failed;
    if (fs::is_other(path, failed) || fs::is_character_file(path, failed) || fs::is_fifo(path, failed)) return;
    std::string same = fs::weakly_canonical(fs::absolute(path, failed), failed).lexically_normal().string();
    if (failed) same = fs::absolute(path, failed).lexically_normal().string();
    const auto [found, is_new] = taken.emplace(same, who);
    if (!is_new)
      problems.push_back(
          base::error("job-value", fmt::format("{} and {} are the same file '{}'", found->second, who, path), place));
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::exists(folder, failed)) return;  // it is made when the run has ended
    if (const auto writable = base::check_writable(path); is_new && !writable.ok())
      problems.insert(problems.end(), writable.diagnostics().begin(), writable.diagnostics().end());
  };
  const auto flag = [&](std::string_view name, const std::string& path) {
    take(path, std::string(name), base::Place::command_line(name));
  };
  for (const job::BufferBinding& b : job.buffers)
    take(b.save, fmt::format("'save' of [buffers.{}]", b.key.text), b.save_place);
  for (const job::ImageBinding& b : job.images)
    take(b.save, fmt::format("'save' of [images.{}]", b.key.text), b.save_place);
  flag("--keep", o.keep);
  flag("--trace-file", o.trace_file);
  flag("--coverage", o.coverage);
  flag("--assembly", o.assembly);
  flag("--summary", o.summary);
  for (const std::string& text : o.texels)
    if (const std::size_t equals = text.find('='); equals != std::string::npos)
      flag("--texels",
           text.substr(equals + 1, std::min(text.find(":level=", equals), text.find(":slice=", equals)) - equals - 1));
  if (!problems.empty()) return base::Failure(std::move(problems));
  return base::Done{};
}

}  // namespace heddle::tools
