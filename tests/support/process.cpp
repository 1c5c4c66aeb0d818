// SPDX-License-Identifier: MIT
#include "support/process.hpp"

#include "support/processor_time.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string_view>

extern char** environ;

namespace heddle::test {
namespace fs = std::filesystem;

namespace {

/// Seconds of processor time that a child has used, with the children that it has waited for.
double processor_seconds_of(pid_t child) {
  std::string stat = read_text("/proc/" + std::to_string(child) + "/stat");
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string::npos) return 0;
  std::istringstream words(stat.substr(name_ends + 1));
  std::string word;
  double ticks = 0;
  constexpr int kUserTime = 12, kLastTime = 15;  // behind the name: user, system, those of its children
  for (int k = 1; k <= kLastTime && words >> word; ++k)
    if (k >= kUserTime) ticks += std::strtod(word.c_str(), nullptr);
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// After `passed` seconds: whether it has had as much of a processor as it may take, or much more time than that. Other
/// processes make it slow.
bool hangs(pid_t child, double passed, double seconds) {
  constexpr double kMuchMore = 20;
  seconds *= kSlowness;
  return passed > seconds && (passed > kMuchMore * seconds || processor_seconds_of(child) > seconds);
}

/// This process's environment but for which part of the tests it runs: a program of tests that starts itself with a
/// filter means that test.
std::vector<char*> environment_of_child() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("GTEST_TOTAL_SHARDS=") && !text.starts_with("GTEST_SHARD_INDEX=")) kept.push_back(*variable);
  }
  kept.push_back(nullptr);
  return kept;
}

}  // namespace

Outcome run(const std::vector<std::string>& words, const std::string& input, const fs::path& folder, double seconds) {
  Outcome outcome;
  TemporaryFolder scratch;
  write_text(scratch / "in", input);
  const std::string in = (scratch / "in").string(), out = (scratch / "out").string(), err = (scratch / "err").string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  // A relative program means relative to this process, whatever folder the child runs in.
  std::vector<std::string> absolute = words;
  if (absolute[0].find('/') != std::string::npos) absolute[0] = fs::absolute(absolute[0]).string();
  std::vector<char*> arguments;
  for (const std::string& word : absolute) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environment_of_child().data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    outcome.exit_code = 127;
    return outcome;
  }
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  for (useconds_t pause = 200;; pause = pause < 10000 ? pause * 2 : pause) {
    if (waitpid(child, &status, WNOHANG) == child) break;
    if (hangs(child, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), seconds)) {
      outcome.timed_out = true;
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    usleep(pause);
  }
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  else
    outcome.exit_code = WEXITSTATUS(status);
  outcome.out = read_text(out);
  outcome.err = read_text(err);
  return outcome;
}

bool have_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (access((std::string(rest.substr(0, colon)) + "/" + name).c_str(), X_OK) == 0) return true;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return false;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "heddle-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  char block[65536];
  while (text.size() < (std::size_t{64} << 20) && (in.read(block, sizeof block), in.gcount() > 0))
    text.append(block, static_cast<std::size_t>(in.gcount()));
  return text;
}
std::vector<std::uint8_t> read_bytes(const fs::path& path) {
  const std::string text = read_text(path);
  return {text.begin(), text.end()};
}
void write_text(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
void write_bytes(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

bool test_all() { return std::getenv("HEDDLE_TEST_ALL") != nullptr; }

}  // namespace heddle::test
