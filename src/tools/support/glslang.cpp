// GLSL to SPIR-V by glslangValidator, a program of its own: Heddle needs it only where GLSL is given.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "tools/support/shader_file.hpp"

extern char** environ;

namespace heddle::tools {
namespace {

/// A folder that goes away with its files.
struct WorkFolder {
  std::string path;
  WorkFolder() {
    std::error_code ignored;
    path = (std::filesystem::temp_directory_path(ignored) / "heddle-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) path.clear();
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
};

/// How a program ended: one of the three.
struct Ending {
  int not_started = 0;  ///< error number
  int signal = 0;
  int status = 0;
};

/// What it prints goes to `log`.
Ending run(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  // It shall not ignore the signals that this process ignores.
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  pid_t child = 0;
  Ending ending;
  ending.not_started = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (ending.not_started != 0) return ending;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {.not_started = errno};
  if (WIFSIGNALED(status))
    ending.signal = WTERMSIG(status);
  else
    ending.status = WEXITSTATUS(status);
  return ending;
}

/// "ERROR: FILE:LINE: message" and "WARNING: ...": one diagnostic each.
std::vector<base::Diagnostic> messages(std::string_view log, const std::string& path) {
  std::vector<base::Diagnostic> list;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    const bool error = line.starts_with("ERROR: ");
    if (!error) continue;
    line.remove_prefix(7);
    if (!line.starts_with(path + ":")) continue;
    line.remove_prefix(path.size() + 1);
    std::uint32_t number = 0;
    const auto digits = std::from_chars(line.data(), line.data() + line.size(), number);
    if (digits.ec != std::errc()) continue;
    line.remove_prefix(static_cast<std::size_t>(digits.ptr - line.data()));
    while (!line.empty() && (line.front() == ':' || line.front() == ' ')) line.remove_prefix(1);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    if (line.find("compilation terminated") == std::string_view::npos)
      list.push_back(base::error("glsl-error", std::string(line), base::Place::text(path, number, 1)));
  }
  return list;
}

}  // namespace

base::Result<std::string> compile_glsl(const std::string& path, const std::string& target_env) {
  const WorkFolder folder;
  if (folder.path.empty())
    return base::error("file-write", "no temporary folder can be made for glslangValidator's output");
  const std::string spv = folder.path + "/shader.spv", log = folder.path + "/log";
  const std::string env = target_env.starts_with("universal") ? "spirv" + target_env.substr(9) : target_env;
  const Ending ending = run({"glslangValidator", "-V", "-g", "--target-env", env, "-o", spv, path}, log);
  const base::Place place = base::Place::in_file(path);
  if (ending.not_started == ENOENT || ending.status == 127)
    return base::error("glsl-compiler", "GLSL is compiled by glslangValidator, which is not installed", place)
        .note("Debian's package is glslang-tools; SPIR-V (.spv, .spvasm) needs no other program");
  if (ending.not_started != 0)
    return base::error("glsl-compiler",
                       fmt::format("glslangValidator cannot be started: {}", std::strerror(ending.not_started)), place);
  if (ending.signal != 0)
    return base::error(
        ending.signal == SIGXFSZ ? "file-write" : "glsl-compiler",
        fmt::format("glslangValidator was ended by signal {} ({})", ending.signal, ::strsignal(ending.signal)), place);
  if (ending.status != 0) {
    const auto text = base::read_text(log);
    std::vector<base::Diagnostic> list = text.ok() ? messages(*text, path) : std::vector<base::Diagnostic>();
    if (list.empty())
      list.push_back(base::error("glsl-error",
                                 fmt::format("glslangValidator failed: {}", text.ok() ? *text : "nothing was said"),
                                 base::Place::in_file(path)));
    return base::Failure(std::move(list));
  }
  return base::read_text(spv);
}

}  // namespace heddle::tools
