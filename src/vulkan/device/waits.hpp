// SPDX-License-Identifier: MIT
#pragma once
// Waits of the application: none lasts for good (SUB-3).

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "vulkan/device/device.hpp"

namespace heddle::vulkan {

/// How long a wait lasts that nothing submitted can end, so that only the program itself could: as long as a submission
/// may take without getting on, in which the program does nothing (its processor time stands still), or of processor
/// time where it does something else. Where it has other threads, which may have their own reasons to sleep,
/// kOfOthers times as long.
class Patience {
 public:
  static constexpr double kOfOthers = 60;
  explicit Patience(double seconds);
  /// The queue works: the wait may end by itself.
  void renew();
  [[nodiscard]] bool is_over();
  /// Time between two looks.
  [[nodiscard]] std::chrono::nanoseconds step() const { return step_; }

 private:
  using Clock = std::chrono::steady_clock;
  const double seconds_;
  const std::chrono::nanoseconds step_;
  Clock::time_point idle_since_;
  std::int64_t idle_from_ = 0, begun_at_ = 0;  ///< the process's nanoseconds
};

/// Whether the process has no thread of the application's beside the calling one.
[[nodiscard]] bool is_alone();

/// Waits under Device::mutex, with those of Device::changed at `place`, until `done`. False: nothing will bring it
/// about.
template <typename Done>
[[nodiscard]] bool wait_hopefully(Device& device, std::unique_lock<std::mutex>& lock, std::condition_variable& place,
                                  Done&& done) {
  if (done()) return true;
  const Uncanceled uncanceled;
  Patience patience(device.time_limit);
  for (;;) {
    place.wait_for(lock, patience.step());
    if (done()) return true;
    if (!device.queue_state.is_stuck())
      patience.renew();
    else if (patience.is_over())
      return false;
  }
}

/// Times from about 30 years on are for ever.
[[nodiscard]] constexpr bool is_endless(std::uint64_t nanoseconds) {
  return nanoseconds > std::uint64_t{1'000'000'000} * 1'000'000'000;
}

/// The message of a wait that is given up.
[[nodiscard]] std::string give_up_words(std::string_view command, std::string_view why);

/// The same for waits whose end is `done`, or the loss of the device, which a wait without hope brings about. `command`
/// waits for `what` that no submission brings.
template <typename Done>
void wait_without_end(Device& device, std::unique_lock<std::mutex>& lock, const char* command, std::string_view what,
                      std::condition_variable& place, Done&& done) {
  const auto over = [&] { return device.reports_loss() || done(); };
  while (!wait_hopefully(device, lock, place, over)) {
    if (device.lost) continue;
    const std::string why = device.queue_state.blocked_by;
    lock.unlock();
    device.lose(give_up_words(command, why.empty() ? what : std::string_view(why)));
    lock.lock();
  }
}
template <typename Done>
void wait_without_end(Device& device, std::unique_lock<std::mutex>& lock, const char* command, std::string_view what,
                      Done&& done) {
  wait_without_end(device, lock, command, what, device.changed.others(), done);
}

}  // namespace heddle::vulkan
