// SPDX-License-Identifier: MIT
#include "tools/suite/process_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>

#include "tools/support/driver.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

struct ThreadState {
  char state = 'Z';
  std::uint64_t ticks = 0;  ///< of the processor
};

/// A /proc/.../stat: the fields behind the name, which may hold blanks.
std::optional<ThreadState> read_stat(const fs::path& path) {
  std::ifstream in(path);
  std::string text;
  if (!std::getline(in, text)) return std::nullopt;
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(end + 1));
  ThreadState found;
  fields >> found.state;
  std::string passed_over;
  for (int i = 0; i < 10; ++i) fields >> passed_over;
  std::uint64_t user = 0, system = 0;
  fields >> user >> system;
  found.ticks = user + system;
  return found;
}

struct Progress {
  std::uint64_t ticks = 0;
  bool waits = true;  ///< no thread runs, or would if there were a core
};

Progress progress_of(pid_t pid) {
  Progress progress;
  const fs::path process = fs::path("/proc") / std::to_string(pid);
  if (const auto whole = read_stat(process / "stat")) progress.ticks = whole->ticks;
  std::error_code problem;
  for (const auto& task : fs::directory_iterator(process / "task", problem))
    if (const auto state = read_stat(task.path() / "stat"); state && (state->state == 'R' || state->state == 'D'))
      progress.waits = false;
  return progress;
}

/// Whether a program that prints nothing has had its time.
class Patience {
 public:
  Patience(pid_t pid, double seconds) : pid_(pid), seconds_(seconds) { restart(); }
  void restart() {
    start_ = last_ = progress_of(pid_).ticks;
    waited_ = {};
    looked_ = Clock::now();
  }
  [[nodiscard]] bool is_over() {
    const auto time = Clock::now();
    if (time - looked_ < std::chrono::milliseconds(50)) return false;
    const Progress now = progress_of(pid_);
    if (now.waits && now.ticks == last_) waited_ += time - looked_;
    looked_ = time;
    last_ = now.ticks;
    static const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    return static_cast<double>(now.ticks - std::min(start_, now.ticks)) / ticks >= seconds_ ||
           std::chrono::duration<double>(waited_).count() >= seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const pid_t pid_;
  const double seconds_;
  std::uint64_t start_ = 0, last_ = 0;
  Clock::duration waited_{};
  Clock::time_point looked_;
};

/// In a group of its own, so that what it starts ends with it; it ends with this process too.
pid_t start(const WatchedProgram& program, int output) {
  std::vector<std::string> words = program.words;
  const std::vector<char*> arguments = argument_list(words);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (!program.folder.empty() && chdir(program.folder.c_str()) != 0) _exit(127);
  for (const auto& [name, value] : program.environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

/// Lines out of pieces.
class Lines {
 public:
  Lines(std::string log, const std::function<bool(const std::string&)>& line)
      : log_(log, std::ios::binary), line_(line) {}
  /// Whether a line of the piece was one that counts.
  bool add(std::string_view piece) {
    log_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    bool counts = false;
    for (const char c : piece) {
      if (c == '\n') {
        counts |= line_(rest_);
        rest_.clear();
      } else if (rest_.size() < kLongest) {
        rest_ += c;
      }
    }
    return counts;
  }
  void finish() {
    if (!rest_.empty()) (void)line_(rest_);
  }

 private:
  static constexpr std::size_t kLongest = 65536;
  std::ofstream log_;
  const std::function<bool(const std::string&)>& line_;
  std::string rest_;
};

/// Ends the group; its output ends with it.
void kill_group(pid_t pid) { (void)kill(-pid, SIGKILL); }

/// It has ended, and waits to be asked how.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/// One piece of output, or nothing within a moment; false at its end.
bool read_piece(int from, Lines& lines, Patience& patience) {
  constexpr int kMoment = 100;  // milliseconds
  pollfd waited{from, POLLIN, 0};
  if (poll(&waited, 1, kMoment) <= 0) return true;
  char piece[65536];
  const ssize_t count = read(from, piece, sizeof piece);
  if (count > 0 && lines.add({piece, static_cast<std::size_t>(count)})) patience.restart();
  return count > 0 || (count < 0 && errno == EINTR);
}

/// Until it has ended, or was killed; what it has started ends with it.
bool wait_for(pid_t pid, int output, Lines& lines, double seconds) {
  Patience patience(pid, seconds);
  bool open = true, timed_out = false;
  while (open || !has_ended(pid)) {
    if (open)
      open = read_piece(output, lines, patience);
    else
      (void)poll(nullptr, 0, 10);
    if (!timed_out && patience.is_over()) {
      timed_out = true;
      kill_group(pid);
    }
    if (open && has_ended(pid)) kill_group(pid);  // others may hold the output open
  }
  kill_group(pid);
  return timed_out;
}

}  // namespace

ProgramEnd watch(const WatchedProgram& program, double seconds, const std::function<bool(const std::string&)>& line) {
  ProgramEnd end;
  int ends[2];
  pid_t pid = -1;
  {
    // No other process that starts meanwhile keeps the pipe open.
    static std::mutex starting;
    const std::lock_guard guard(starting);
    if (pipe2(ends, O_CLOEXEC) != 0) return {errno, 0, false};
    pid = start(program, ends[1]);
    if (pid < 0) end.problem = errno;
    close(ends[1]);
  }
  if (pid > 0) {
    setpgid(pid, pid);
    Lines lines(program.log, line);
    end.timed_out = wait_for(pid, ends[0], lines, seconds);
    lines.finish();
    while (waitpid(pid, &end.status, 0) < 0 && errno == EINTR) continue;
  }
  close(ends[0]);
  return end;
}

}  // namespace heddle::tools
