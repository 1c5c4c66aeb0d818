// SPDX-License-Identifier: MIT
#pragma once
// A program that is watched while it runs: its output line by line, and whether it gets on.

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace heddle::tools {

struct WatchedProgram {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;  ///< added to this process's
  std::string folder;                              ///< where it runs
  std::string log;                                 ///< a file that gets all of its output
};

struct ProgramEnd {
  int problem = 0;         ///< errno: it could not be started
  int status = 0;          ///< of waitpid
  bool timed_out = false;  ///< it was killed
  bool logged = true;      ///< all of its output is in the log
};

/// Runs it to its end. `line` is called for each line that it prints; `seconds` is how long it may go on without one
/// of which `line` says true: seconds of processor time, summed over its threads and the processes of its group, or in
/// which none of them has anything to do. So the load of the machine makes no difference. What it has printed when it
/// ends is read; processes that it leaves behind are killed, and those that left its group are not waited for.
[[nodiscard]] ProgramEnd watch(const WatchedProgram& program, double seconds,
                               const std::function<bool(const std::string&)>& line);

/// Kills all programs that are watched. A signal's handler may call it.
void kill_watched();

}  // namespace heddle::tools
