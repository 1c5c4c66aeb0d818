// SPDX-License-Identifier: MIT
#pragma once
// Which frames HEDDLE_CAPTURE takes commands of.

#include <atomic>
#include <cstdint>

#include "vulkan/capture/frame_recorder.hpp"

namespace heddle::vulkan {

/// The frames of this process, counted from 0 by what it presents: commands behind the n-th picture are of frame n.
/// HEDDLE_FRAME_PLAN says which of them are wanted.
class CapturedFrames {
 public:
  [[nodiscard]] static CapturedFrames& of_process();
  [[nodiscard]] std::uint64_t now() const { return frame_; }
  [[nodiscard]] bool wants(std::uint64_t frame) const { return plan_.wants(frame); }
  [[nodiscard]] bool wants_now() const { return wants(now()); }
  /// The frame has been presented: HEDDLE_CAPTURE/frames has the number of those that were. `ends`: behind the plan's
  /// last one the process ends.
  void next(bool ends);

 private:
  explicit CapturedFrames(base::FramePlan plan) : plan_(std::move(plan)) {}
  const base::FramePlan plan_;
  std::atomic<std::uint64_t> frame_{0};
};

}  // namespace heddle::vulkan
