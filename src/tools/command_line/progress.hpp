// SPDX-License-Identifier: MIT
#pragma once
// A progress bar on standard error, for work that takes longer than a moment; nothing when standard error is no
// terminal.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace heddle::tools {

/// Drawn by a thread of its own ten times a second, half a second after the start: work that reports rarely, or not at
/// all until it is done, still shows that it goes on, and for how long it has.
class Progress {
 public:
  Progress(std::string what, std::uint64_t total);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void at(std::uint64_t done) { done_.store(done, std::memory_order_relaxed); }  ///< from any thread
  void finish();                                                                 ///< removes the bar

 private:
  void draw_until_finished();
  void draw();

  std::string what_;
  std::uint64_t total_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool finished_ = false;  ///< under the mutex
  bool drawn_ = false;     ///< of the drawing thread, then of finish()
  std::thread thread_;     ///< only on a terminal
};

}  // namespace heddle::tools
