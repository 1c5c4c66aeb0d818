#include "tools/support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/support/console.hpp"

namespace heddle::tools {

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(std::max<std::uint64_t>(total, 1)),
      terminal_(is_terminal(STDERR_FILENO)),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

void Progress::at(std::uint64_t done) {
  if (!terminal_ || (++calls_ & 15u) != 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100) || now - start_ < std::chrono::milliseconds(500)) return;
  last_ = now;
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto filled = static_cast<std::size_t>(part * 32);
  const std::string left = part > 0.01 ? fmt::format(", {:.0f} s left", seconds / part - seconds) : "";
  std::fputs(fmt::format("\r\x1b[K{} [{}{}] {:3.0f} %{}", what_, std::string(filled, '#'),
                         std::string(32 - filled, '.'), part * 100, left)
                 .c_str(),
             stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace heddle::tools
