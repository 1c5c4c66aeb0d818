// SPDX-License-Identifier: MIT
#pragma once
// Machine code that may get better while it is used.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/jit/cache/loader.hpp"
#include "engine/jit/codegen/compile.hpp"

namespace heddle::engine::jit {

/// The code of one key: what was made first, then the second tier in its place. May be used by several threads.
class TieredCode {
 public:
  /// The best there is; never null once something was set.
  [[nodiscard]] Function function() const { return function_.load(std::memory_order_acquire); }
  [[nodiscard]] bool has_second() const { return has_second_.load(std::memory_order_acquire); }
  /// The first tier does not take the place of the second. What was there stays: threads may be in it.
  void set(Tier tier, std::shared_ptr<const LoadedCode> code) {
    const std::lock_guard guard(mutex_);
    std::shared_ptr<const LoadedCode>& place = tier == Tier::First ? first_ : second_;
    if (place != nullptr) return;
    place = std::move(code);
    if (tier == Tier::Second || second_ == nullptr) function_.store(place->function(), std::memory_order_release);
    if (tier == Tier::Second) has_second_.store(true, std::memory_order_release);
  }
  [[nodiscard]] std::shared_ptr<const LoadedCode> first() {
    const std::lock_guard guard(mutex_);
    return first_;
  }
  /// A second tier that was made once more, for what was learned since. What was there stays: threads may be in it.
  void set_again(std::shared_ptr<const LoadedCode> code) {
    const std::lock_guard guard(mutex_);
    older_.push_back(std::exchange(second_, std::move(code)));
    function_.store(second_->function(), std::memory_order_release);
    times_again_.fetch_add(1, std::memory_order_release);
    claimed_again_ = false;
  }
  /// How often it was.
  [[nodiscard]] unsigned times_again() const { return times_again_.load(std::memory_order_acquire); }
  /// Instructions executed in the first tier, with those before.
  std::uint64_t count(std::uint64_t steps) { return steps_.fetch_add(steps, std::memory_order_relaxed) + steps; }
  /// Whether somebody has asked before.
  [[nodiscard]] bool looked_on_disk() { return looked_on_disk_.exchange(true, std::memory_order_relaxed); }
  /// Steps of threads that were interpreted for want of it, before.
  std::uint64_t count_interpreted(std::uint64_t steps) {
    return interpreted_.fetch_add(steps, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t interpreted() const { return interpreted_.load(std::memory_order_relaxed); }
  /// True for one caller, which has to ask for the second tier. After `give_up` another caller may.
  [[nodiscard]] bool claim() { return !claimed_.exchange(true); }
  void give_up() { claimed_ = false; }
  /// Whether the second tier is there and can be made once more: some times, and by one at a time.
  [[nodiscard]] bool may_be_made_again() const {
    return has_second() && times_again() < kMaxAgain && !claimed_again_.load(std::memory_order_relaxed);
  }
  /// The same of a second tier that is there, to be made once more.
  [[nodiscard]] bool claim_again() { return may_be_made_again() && !claimed_again_.exchange(true); }
  void give_up_again() { claimed_again_ = false; }

 private:
  std::mutex mutex_;
  static constexpr unsigned kMaxAgain = 4;
  std::shared_ptr<const LoadedCode> first_, second_;
  std::vector<std::shared_ptr<const LoadedCode>> older_;
  std::atomic<Function> function_ = nullptr;
  std::atomic<bool> has_second_ = false, claimed_ = false, claimed_again_ = false, looked_on_disk_ = false;
  std::atomic<unsigned> times_again_ = 0;
  std::atomic<std::uint64_t> steps_ = 0, interpreted_ = 0;
};

}  // namespace heddle::engine::jit
