// SPDX-License-Identifier: MIT
#include "quick/counting.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "support/process.hpp"

#if defined(__x86_64__)
#include <valgrind/callgrind.h>
#else
#include <sys/prctl.h>

#include "quick/qemu_mark.h"
#endif

namespace heddle::bench {
namespace fs = std::filesystem;
namespace {

std::string name_of(std::size_t item, bool large) { return fmt::format("item {} {}", item, large ? "large" : "small"); }

}  // namespace

#if defined(__x86_64__)

bool is_counting() { return RUNNING_ON_VALGRIND != 0; }
void begin_counting() {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}
void end_counting(std::size_t item, bool large) {
  CALLGRIND_DUMP_STATS_AT(name_of(item, large).c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
}

std::vector<std::string> counting_words(std::vector<std::string> counted, const std::string&, const fs::path& folder,
                                        std::string& why) {
  if (!test::have_program("valgrind")) why = "valgrind is not installed";
  if (!why.empty()) return {};
  std::vector<std::string> words = {"valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no",
                                    "--callgrind-out-file=" + (folder / "dump").string()};
  words.insert(words.end(), counted.begin(), counted.end());
  return words;
}

std::map<std::string, double> read_counts(const fs::path& folder) {
  std::map<std::string, double> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("dump.")) continue;
    std::istringstream text(test::read_text(entry.path()));
    std::string trigger;
    for (std::string line; std::getline(text, line);) {
      if (const std::size_t at = line.find("item "); line.starts_with("desc: Trigger:") && at != std::string::npos)
        trigger = line.substr(at);
      if (line.starts_with("totals: ") && !trigger.empty()) found[trigger] = std::strtod(line.c_str() + 8, nullptr);
    }
  }
  return found;
}

#else

// Linux knows no such operation of prctl and refuses it; the plugin sees the call.
bool is_counting() { return std::getenv("QEMU_PLUGIN") != nullptr; }
void begin_counting() { (void)::prctl(HEDDLE_COUNT_BEGIN, 0, 0, 0, 0); }
void end_counting(std::size_t item, bool large) {
  (void)::prctl(HEDDLE_COUNT_END, item * 2 + (large ? 1 : 0), 0, 0, 0);
}

std::vector<std::string> counting_words(std::vector<std::string> counted, const std::string& plugin,
                                        const fs::path& folder, std::string& why) {
  if (plugin.empty()) why = "--plugin FILE is missing: bench/quick/qemu_count.c, built ('./dev bench quick --arm64')";
  if (!why.empty()) return {};
  // The qemu that runs the counted program reads it.
  setenv("QEMU_PLUGIN", fmt::format("file={},out={}", plugin, (folder / "counts").string()).c_str(), 1);
  return counted;
}

std::map<std::string, double> read_counts(const fs::path& folder) {
  std::map<std::string, double> found;
  std::istringstream text(fs::exists(folder / "counts") ? test::read_text(folder / "counts") : std::string());
  std::size_t mark = 0;
  for (double instructions = 0; text >> mark >> instructions;) found[name_of(mark / 2, mark % 2 == 1)] = instructions;
  return found;
}

#endif

}  // namespace heddle::bench
