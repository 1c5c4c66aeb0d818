// Requests in lines, answers in lines: what both batch commands share.

#include "base/file.hpp"
#include "tools/pictures/footprint.hpp"
#include "tools/support/progress.hpp"

namespace heddle::tools {

base::ExitCode answer_lines(std::string_view input, const std::string& output, const std::string& what,
                            const std::function<std::string(std::string_view line, bool& good)>& answer) {
  const std::size_t total = input.size();
  Progress progress(what, total);
  bool all_good = true;
  std::string text;
  const auto write = [&] {
    const base::Result<base::Done> written = base::write_file(output, text);
    text.clear();
    if (!written.ok()) print_diagnostics(written.diagnostics());
    return written.ok();
  };
  while (!input.empty()) {
    const std::size_t end = input.find('\n');
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    bool good = false;
    text += answer(line, good);
    text += '\n';
    all_good = all_good && good;
    progress.at(total - input.size());
    if (output == "-" && text.size() > (1u << 16) && !write()) return base::ExitCode::File;
  }
  progress.finish();
  if (!write()) return base::ExitCode::File;
  return all_good ? base::ExitCode::Done : base::ExitCode::WrongInput;
}

}  // namespace heddle::tools
