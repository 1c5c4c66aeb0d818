// SPDX-License-Identifier: MIT
// Rules: SUB-3.
#include "vulkan/device/waits.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/arenas.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::int64_t kNearlyNothing = 10'000'000;  // nanoseconds of a program that does nothing
constexpr double kMinStep = 0.002, kMaxStep = 0.25;  // seconds between two looks
constexpr double kNanoseconds = 1e9;

/// Nanoseconds of processor time that the process has used.
std::int64_t process_time() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

std::string name_of_thread(const char* number) {
  char path[64], name[32] = {};
  (void)std::snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", number);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "re"), &std::fclose);
  if (!file || std::fgets(name, sizeof name, file.get()) == nullptr) return {};
  const std::string text = name;
  return text.substr(0, text.find('\n'));
}

}  // namespace

bool is_alone() {
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(::opendir("/proc/self/task"), &::closedir);
  struct stat folder{};
  if (!threads || ::fstat(::dirfd(threads.get()), &folder) != 0) return false;
  nlink_t seen = 0;
  while (const dirent* next = ::readdir(threads.get())) {
    const long number = std::strtol(next->d_name, nullptr, 10);
    if (number <= 0) continue;
    ++seen;
    if (number == ::gettid()) continue;
    if (number == ::getpid() || name_of_thread(next->d_name) != base::kOwnThreadName) return false;
  }
  // Where a thread ends while the kernel lists them, those behind it are left out; the folder has two links more than
  // the process has threads.
  return seen + 2 >= folder.st_nlink;
}

Patience::Patience(double seconds)
    : seconds_(seconds), step_(static_cast<std::int64_t>(std::clamp(seconds / 20, kMinStep, kMaxStep) * kNanoseconds)) {
  renew();
}

void Patience::renew() {
  idle_since_ = Clock::now();
  idle_from_ = begun_at_ = process_time();
}

bool Patience::is_over() {
  const std::int64_t used = process_time();
  const Clock::time_point now = Clock::now();
  if (used - idle_from_ > kNearlyNothing) {
    idle_from_ = used;
    idle_since_ = now;
  }
  const double idle = std::chrono::duration<double>(now - idle_since_).count();
  const double busy = static_cast<double>(used - begun_at_) / kNanoseconds;
  const double longer = std::max(idle, busy);
  return longer > seconds_ && (longer > kOfOthers * seconds_ || is_alone());
}

std::string give_up_words(std::string_view command, std::string_view why) {
  return std::string(command) + " would wait for good: " + std::string(why) +
         ", and the program does nothing that could change it (HEDDLE_TIME_LIMIT)";
}

}  // namespace heddle::vulkan
