// SPDX-License-Identifier: MIT
#pragma once
// What the benchmark programs share: child processes with their time and peak memory, medians, tables for
// docs/performance.md.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

/// What one process used from start to end.
struct Usage {
  double seconds = 0;            ///< by the clock
  double cpu_seconds = 0;        ///< user and system
  std::uint64_t peak_bytes = 0;  ///< largest resident set
  int exit_code = -1;            ///< -1: could not be started, or died of a signal
  int signal = 0;                ///< that it died of
};

/// Runs a program (found through PATH) in `folder`, its output discarded. The peak counts this process's own size as a
/// minimum (the kernel takes it over at exec), so callers keep small: files are written and read in pieces.
[[nodiscard]] Usage run_process(const std::vector<std::string>& words, const std::string& folder);

[[nodiscard]] double median(std::vector<double> values);
/// Medians of each member; the exit code of the last.
[[nodiscard]] Usage median(const std::vector<Usage>& runs);

/// "1.24 s", "83 ms", "412 ns"; "290 MiB"; "12.3".
[[nodiscard]] std::string format_seconds(double seconds);
[[nodiscard]] std::string format_bytes(double bytes);
[[nodiscard]] std::string format_number(double value);

/// A Markdown section: a heading, paragraphs and tables with aligned columns.
class Section {
 public:
  explicit Section(const std::string& heading) : text_("## " + heading + "\n") {}
  void heading(const std::string& text) { text_ += "\n### " + text + "\n"; }
  void paragraph(const std::string& text) { text_ += "\n" + text + "\n"; }
  void table(const std::vector<std::vector<std::string>>& rows);  ///< the first row is the head
  /// Prints the section, and writes it to `path` unless that is empty. False when it could not be written.
  [[nodiscard]] bool finish(const std::string& path) const;

 private:
  std::string text_;
};

/// Command line of every benchmark program: --markdown FILE, --all, --heddle PROGRAM, and its `own` options in `rest`
/// ("--rounds N" has a value, "--update" none, "--benchmark_*" stands for all that begin so). Ends the program with a
/// list of them all for --help, exit code 0, and for anything else, 2.
struct Options {
  std::string markdown, heddle = "heddle";
  bool all = false;
  std::vector<std::string> rest;
};
[[nodiscard]] Options parse_options(int argc, char** argv, const std::vector<std::string>& own = {});

}  // namespace heddle::bench
