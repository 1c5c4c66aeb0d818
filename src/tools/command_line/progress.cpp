// SPDX-License-Identifier: MIT
#include "tools/command_line/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/command_line/console.hpp"

namespace heddle::tools {

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)), total_(std::max<std::uint64_t>(total, 1)), start_(std::chrono::steady_clock::now()) {
  if (is_terminal(STDERR_FILENO)) thread_ = std::thread([this] { draw_until_finished(); });
}

void Progress::draw_until_finished() {
  std::unique_lock lock(mutex_);
  const auto is_finished = [this] { return finished_; };
  if (ended_.wait_for(lock, std::chrono::milliseconds(500), is_finished)) return;
  do draw();
  while (!ended_.wait_for(lock, std::chrono::milliseconds(100), is_finished));
}

void Progress::draw() {
  const auto done = static_cast<double>(done_.load(std::memory_order_relaxed));
  const double part = std::min(1.0, done / static_cast<double>(total_));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const auto filled = static_cast<std::size_t>(part * 32);
  const std::string time =
      part > 0.01 ? fmt::format("{:.0f} s left", seconds / part - seconds) : fmt::format("{:.0f} s so far", seconds);
  std::fputs(fmt::format("\r\x1b[K{} [{}{}] {:3.0f} %, {}", what_, std::string(filled, '#'),
                         std::string(32 - filled, '.'), part * 100, time)
                 .c_str(),
             stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  ended_.notify_one();
  thread_.join();
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace heddle::tools
