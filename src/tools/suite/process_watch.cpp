// SPDX-License-Identifier: MIT
#include "tools/suite/process_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
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
#include <utility>

#include "base/environment/program_path.hpp"
#include "tools/services/driver.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

struct ThreadState {
  char state = 'Z';
  pid_t group = 0;
  std::uint64_t ticks = 0;  ///< of the processor, with those of children that were waited for
  [[nodiscard]] bool runs() const { return state == 'R' || state == 'D'; }
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
  fields >> passed_over >> found.group;  // behind the parent
  for (int i = 0; i < 8; ++i) fields >> passed_over;
  for (std::uint64_t i = 0, part = 0; i < 4 && fields >> part; ++i) found.ticks += part;
  return found;
}

struct Progress {
  std::uint64_t ticks = 0;
  bool waits = true;  ///< no thread runs, or would if there were a core
};

bool any_thread_runs(const fs::path& process) {
  std::error_code problem;
  fs::directory_iterator task(process / "task", problem);
  for (; !problem && task != fs::directory_iterator(); task.increment(problem))
    if (const auto state = read_stat(task->path() / "stat"); state && state->runs()) return true;
  return false;
}

/// Of all processes of the group.
Progress progress_of(pid_t group) {
  Progress progress;
  std::error_code problem;
  fs::directory_iterator process("/proc", problem);
  for (; !problem && process != fs::directory_iterator(); process.increment(problem)) {
    if (process->path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
    const auto whole = read_stat(process->path() / "stat");
    if (!whole || whole->group != group) continue;
    progress.ticks += whole->ticks;
    if (progress.waits && any_thread_runs(process->path())) progress.waits = false;
  }
  return progress;
}

/// Whether a program that prints nothing has had its time.
class Patience {
 public:
  Patience(pid_t group, double seconds) : group_(group), seconds_(seconds) {}
  void restart() { fresh_ = true; }
  /// Looks only now and then: all processes of the machine are asked which group they are of.
  [[nodiscard]] bool is_over() {
    const auto time = Clock::now();
    if (time - looked_ < std::chrono::milliseconds(100)) return false;
    const Progress now = progress_of(group_);
    if (std::exchange(fresh_, false)) {
      used_ = 0;
      waited_ = {};
    } else {
      used_ += now.ticks - std::min(last_, now.ticks);  // fewer: one has ended that nobody waited for
      if (now.waits && now.ticks == last_) waited_ += time - looked_;
    }
    looked_ = time;
    last_ = now.ticks;
    static const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    return static_cast<double>(used_) / ticks >= seconds_ || std::chrono::duration<double>(waited_).count() >= seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const pid_t group_;
  const double seconds_;
  bool fresh_ = true;
  std::uint64_t used_ = 0, last_ = 0;
  Clock::duration waited_{};
  Clock::time_point looked_ = Clock::now();
};

/// In a group of its own, so that what it starts ends with it; it ends with this process too. `trouble` gets errno
/// where it cannot be started, and closes where it is.
pid_t start(const WatchedProgram& program, int output, int trouble) {
  std::vector<std::string> words = program.words, variables = base::environment_with(program.environment);
  const std::vector<char*> arguments = argument_list(words), environment = argument_list(variables);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (program.folder.empty() || chdir(program.folder.c_str()) == 0)
    execvpe(arguments[0], arguments.data(), environment.data());
  const int problem = errno;
  (void)!write(trouble, &problem, sizeof problem);
  _exit(127);
}

/// Lines out of pieces.
class Lines {
 public:
  Lines(const std::string& log, const std::function<bool(const std::string&)>& line)
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
  /// Whether all is in the log.
  bool finish() {
    if (!rest_.empty()) (void)line_(rest_);
    return static_cast<bool>(log_.flush());
  }

 private:
  static constexpr std::size_t kLongest = 65536;
  std::ofstream log_;
  const std::function<bool(const std::string&)>& line_;
  std::string rest_;
};

/// Ends the group; its output ends with it, but for what has left the group.
void kill_group(pid_t pid) { (void)kill(-pid, SIGKILL); }

/// The groups that run, for kill_watched. More than that at a time end by themselves, as their parent ends.
std::atomic<pid_t> watched_groups[1024];

class Watched {
 public:
  explicit Watched(pid_t group) {
    for (std::atomic<pid_t>& slot : watched_groups)
      if (pid_t none = 0; slot.compare_exchange_strong(none, group)) {
        slot_ = &slot;
        return;
      }
  }
  ~Watched() {
    if (slot_ != nullptr) slot_->store(0);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  std::atomic<pid_t>* slot_ = nullptr;
};

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

/// What a program that has ended left in the pipe. Another one may hold the pipe open and write on, so that no more is
/// read than a pipe holds.
void drain(int from, Lines& lines) {
  constexpr std::size_t kMax = 1 << 20;
  char piece[65536];
  for (std::size_t taken = 0; taken < kMax;) {
    pollfd waited{from, POLLIN, 0};
    if (poll(&waited, 1, 0) <= 0) return;
    const ssize_t count = read(from, piece, sizeof piece);
    if (count <= 0) return;
    (void)lines.add({piece, static_cast<std::size_t>(count)});
    taken += static_cast<std::size_t>(count);
  }
}

/// Until it has ended, or was killed; what it has started ends with it.
bool wait_for(pid_t pid, int output, Lines& lines, double seconds) {
  Patience patience(pid, seconds);
  bool open = true, timed_out = false;
  while (!has_ended(pid)) {
    if (open)
      open = read_piece(output, lines, patience);
    else
      (void)poll(nullptr, 0, 10);
    if (!timed_out && patience.is_over()) {
      timed_out = true;
      kill_group(pid);
    }
  }
  kill_group(pid);
  if (open) drain(output, lines);
  return timed_out;
}

}  // namespace

ProgramEnd watch(const WatchedProgram& program, double seconds, const std::function<bool(const std::string&)>& line) {
  ProgramEnd end;
  int ends[2], trouble[2];
  pid_t pid = -1;
  {
    // No other process that starts meanwhile keeps the pipes open.
    static std::mutex starting;
    const std::lock_guard guard(starting);
    if (pipe2(ends, O_CLOEXEC) != 0) return {.problem = errno};
    if (pipe2(trouble, O_CLOEXEC) != 0) {
      end.problem = errno;
      close(ends[0]);
      close(ends[1]);
      return end;
    }
    pid = start(program, ends[1], trouble[1]);
    if (pid < 0) end.problem = errno;
    close(ends[1]);
    close(trouble[1]);
  }
  if (pid > 0) {
    setpgid(pid, pid);
    const Watched watched(pid);
    while (read(trouble[0], &end.problem, sizeof end.problem) < 0 && errno == EINTR) continue;
    Lines lines(program.log, line);
    end.timed_out = wait_for(pid, ends[0], lines, seconds);
    end.logged = lines.finish();
  }
  if (pid > 0)
    while (waitpid(pid, &end.status, 0) < 0 && errno == EINTR) continue;
  close(ends[0]);
  close(trouble[0]);
  return end;
}

void kill_watched() {
  for (const std::atomic<pid_t>& group : watched_groups)
    if (const pid_t pid = group.load(); pid > 0) kill_group(pid);
}

}  // namespace heddle::tools
