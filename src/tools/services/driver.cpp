// SPDX-License-Identifier: MIT
#include "tools/services/driver.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/environment/environment.hpp"
#include "tools/command_line/console.hpp"

namespace heddle::tools {
namespace {

pid_t running_program = 0;
void pass_on(int signal) { kill(running_program, signal); }

/// A file of no bytes that processes with findings write to; removed at the end.
struct Mark {
  Mark() {
    std::error_code ignored;
    path = (std::filesystem::temp_directory_path(ignored) / "heddle-check-XXXXXX").string();
    const int file = mkstemp(path.data());
    if (file < 0)
      path.clear();
    else
      close(file);
  }
  ~Mark() {
    if (!path.empty()) unlink(path.c_str());
  }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  std::string path;
};

}  // namespace

base::ExitCode driver_failure(base::ExitCode code, std::string message, std::string note) {
  base::Diagnostic d = base::error("vulkan-driver", std::move(message));
  if (!note.empty()) d.note(std::move(note));
  print_diagnostics({std::move(d)});
  return code;
}

base::ExitCode cannot_run(const std::string& program, int problem) {
  return driver_failure(base::ExitCode::File, fmt::format("{} cannot be run: {}", program, std::strerror(problem)),
                        program == "vulkaninfo" ? "vulkaninfo belongs to Debian's vulkan-tools" : "");
}

std::string driver_manifest() {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path folder = fs::read_symlink("/proc/self/exe", problem).parent_path();
  if (problem) return {};
  for (const char* place : {"../../lib/heddle_icd.json", "../share/vulkan/icd.d/heddle_icd.json"})
    if (const fs::path path = folder / place; fs::exists(path, problem)) return fs::weakly_canonical(path, problem);
  return {};
}

base::ExitCode use_driver() {
  const std::string manifest = driver_manifest();
  if (manifest.empty())
    return driver_failure(base::ExitCode::File, "the driver's manifest heddle_icd.json is not beside this program",
                          "the driver is built where libvulkan-dev and python3 are installed");
  setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);  // what loaders before 1.3.207 read
  // Mesa 22.3's threads of GL lose draws of vertices in client memory where a context is ES 2.0, as zink's is here.
  setenv("mesa_glthread", "false", 0);
  // Else zink asks the X server for a GPU's buffers, which Xvfb and its like do not have.
  if (base::read_text_variable(base::Variable::MesaDriver) == "zink") setenv("LIBGL_ALWAYS_SOFTWARE", "1", 0);
  const auto problems = base::environment_problems(base::VariableReader::Driver);
  print_diagnostics(problems);
  // Those of the caches were said when this program began.
  if (!problems.empty() || !base::environment_problems(base::VariableReader::Everything).empty())
    return driver_failure(base::ExitCode::Usage,
                          "the program is not started with variables that are set to what they do not take",
                          "correct or unset them; docs/environment.md and heddle help vulkan list all");
  return base::ExitCode::Done;
}

std::vector<char*> argument_list(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return arguments;
}

base::ExitCode run_to_end(const std::vector<std::string>& words) {
  std::vector<std::string> own = words;
  const std::vector<char*> arguments = argument_list(own);
  if (const int problem = posix_spawnp(&running_program, arguments[0], nullptr, nullptr, arguments.data(), environ);
      problem != 0)
    return cannot_run(arguments[0], problem);
  for (const int signal : {SIGINT, SIGQUIT}) std::signal(signal, SIG_IGN);  // a terminal tells the program itself
  for (const int signal : {SIGTERM, SIGHUP}) std::signal(signal, pass_on);
  int status = 0;
  while (waitpid(running_program, &status, 0) < 0)
    if (errno != EINTR) return driver_failure(base::ExitCode::Internal, "the program cannot be waited for");
  return base::ExitCode{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

base::ExitCode run_checked(const std::vector<std::string>& words) {
  if (base::read_word_variable(base::Variable::Check).value != "error") return run_to_end(words);
  const Mark mark;
  if (mark.path.empty())
    return driver_failure(base::ExitCode::File, fmt::format("no temporary file can be made: {}", std::strerror(errno)),
                          "TMPDIR names a folder that can be written");
  setenv("HEDDLE_CHECK_MARK", mark.path.c_str(), 1);
  const base::ExitCode code = run_to_end(words);
  std::error_code gone;
  if (const auto size = std::filesystem::file_size(mark.path, gone); !gone && size != 0)
    return base::ExitCode{base::kFindingsExitCode};
  return code;
}

}  // namespace heddle::tools
