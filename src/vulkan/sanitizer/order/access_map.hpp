// SPDX-License-Identifier: MIT
#pragma once
// Which uses last wrote and read which bytes, as intervals of addresses.

#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "vulkan/sanitizer/order/command_order.hpp"

namespace heddle::vulkan {

class AccessMap {
 public:
  using Use = CommandOrder::Use;
  /// Intervals that are kept, each some 80 bytes of memory. What is accessed when they are spent is not watched.
  static constexpr std::size_t kMaxIntervals = std::size_t{1} << 20;

  void clear() {
    intervals_.clear();
    full_ = false;
  }
  /// Records an access, and calls conflict(other use, address of the first byte) for each interval whose last write, or
  /// for a write whose last reads, it meets. `of_command`: whether a use belongs to the command that accesses.
  void access(std::uintptr_t begin, std::uintptr_t end, Use use, bool write, const std::function<bool(Use)>& of_command,
              const std::function<void(Use, std::uintptr_t)>& conflict);
  [[nodiscard]] bool full() const { return full_; }

 private:
  struct State {
    Use write = 0;
    std::array<Use, 3> reads{};  ///< since then, the newest first
    bool operator==(const State&) const = default;
  };
  struct Interval {
    std::uintptr_t end = 0;
    State state;
  };
  using Map = std::map<std::uintptr_t, Interval>;
  void split(std::uintptr_t at);
  void join(Map::iterator at);
  Map intervals_;  ///< by their begin
  bool full_ = false;
};

}  // namespace heddle::vulkan
