// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_FRAME_PLAN: which frames of a program are recorded and captured.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment/environment.hpp"

namespace heddle::base {

/// The first and the last frame, counted from 0; UINT64_MAX: there is no last one.
using FrameRange = std::pair<std::uint64_t, std::uint64_t>;
/// "3", "0..9", "5.."; nothing for other texts.
[[nodiscard]] std::optional<FrameRange> parse_frame_range(std::string_view text);

/// All frames, where nothing else is said.
struct FramePlan {
  std::vector<FrameRange> frames;          ///< empty: all
  std::uint64_t shard = 1, shards = 1;     ///< of `shards` frames in turn the `shard`-th, counted from 1
  bool targets = false;                    ///< what is drawn to, in place of what is presented
  std::vector<std::string> objects;        ///< images and buffers of these names instead
  std::optional<std::uint64_t> last = {};  ///< the process ends behind this frame
  [[nodiscard]] bool wants(std::uint64_t frame) const;
};

/// "frames=0..9,20 shard=2/4 of=targets last=20"; "objects=shadow%20map,sums" chooses objects by name, in whose names
/// other bytes than letters and digits may stand as two hex digits. What is wrong goes to `problem`: then there is no plan.
[[nodiscard]] std::optional<FramePlan> parse_frame_plan(std::string_view text, std::string& problem);

/// HEDDLE_FRAME_PLAN. No value: all frames.
[[nodiscard]] Reading<FramePlan> read_frame_plan_variable();

}  // namespace heddle::base
