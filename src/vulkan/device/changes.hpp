// SPDX-License-Identifier: MIT
#pragma once
// Where threads wait for what changes under the device's mutex.

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>

namespace heddle::vulkan {

/// Who waits for one fence, and the queues' thread, wait apart from all others: the end of a submission wakes whom it
/// concerns, where a hundred threads wait for fences of their own.
class Changes {
 public:
  /// Of all but those two.
  [[nodiscard]] std::condition_variable& others() { return others_; }
  /// Of the queues' thread, while it has nothing to carry out.
  [[nodiscard]] std::condition_variable& of_queues() { return of_queues_; }
  /// Of a fence: it has it in common with few.
  [[nodiscard]] std::condition_variable& of_fence(const void* fence) {
    return of_fences_[(reinterpret_cast<std::uintptr_t>(fence) * 0x9e3779b97f4a7c15u) >> (64 - kFenceBits)];
  }
  /// Any of them may be concerned.
  void notify_all() {
    others_.notify_all();
    of_queues_.notify_all();
    for (std::condition_variable& one : of_fences_) one.notify_all();
  }

 private:
  static constexpr unsigned kFenceBits = 6;
  std::condition_variable others_, of_queues_;
  std::array<std::condition_variable, std::size_t{1} << kFenceBits> of_fences_;
};

}  // namespace heddle::vulkan
