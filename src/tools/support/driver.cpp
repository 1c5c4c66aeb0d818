// SPDX-License-Identifier: MIT
#include "tools/support/driver.hpp"

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
#include "tools/support/console.hpp"

namespace heddle::tools {
namespace {

pid_t running_program = 0;
void pass_on(int signal) { kill(running_program, signal); }

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
  if (const auto problems = base::environment_problems(base::VariableReader::Driver); !problems.empty()) {
    print_diagnostics(problems);
    return driver_failure(base::ExitCode::Usage,
                          "the program is not started with variables that are set to what they do not take",
                          "correct or unset them; docs/environment.md and heddle help vulkan list all");
  }
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

}  // namespace heddle::tools
