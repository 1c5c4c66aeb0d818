#pragma once
// A progress bar on standard error, for work that takes longer than a moment; nothing when standard error is no
// terminal.

#include <chrono>
#include <cstdint>
#include <string>

namespace heddle::tools {

class Progress {
 public:
  Progress(std::string what, std::uint64_t total);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void at(std::uint64_t done);  ///< cheap; draws at most ten times a second
  void finish();                ///< removes the bar

 private:
  std::string what_;
  std::uint64_t total_;
  bool terminal_ = false, drawn_ = false;
  unsigned calls_ = 0;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace heddle::tools
