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
/// At most so many in a list, so that a list that somebody else wrote costs little.
inline constexpr std::size_t kMaxRanges = 4096;
/// "3,10..19,40..": numbers and ranges between commas. Nothing for other texts; `problem` says of one that is too long
/// that it is.
[[nodiscard]] std::optional<std::vector<FrameRange>> parse_frame_ranges(std::string_view text, std::string& problem);

/// Every `count`-th of many things, which are counted from 0, beginning with `index` - 1.
struct Shard {
  std::uint64_t index = 1, count = 1;
  [[nodiscard]] bool has(std::uint64_t number) const { return number % count == index - 1; }
  [[nodiscard]] std::string text() const;  ///< "2/4"
};
/// More shards than this are refused: no job array has them, and what is missing of them could not be named.
inline constexpr std::uint64_t kMaxShards = 65536;
/// "2/4"; nothing for other texts.
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text);

/// All frames, where nothing else is said.
struct FramePlan {
  std::vector<FrameRange> frames;          ///< empty: all
  Shard shard = {};                        ///< of these frames
  bool targets = false;                    ///< what is drawn to, in place of what is presented
  std::vector<std::string> objects;        ///< images and buffers of these names instead
  std::optional<std::uint64_t> last = {};  ///< the process ends behind this frame
  [[nodiscard]] bool wants(std::uint64_t frame) const;
};

/// "frames=0..9,20 shard=2/4 of=targets last=20"; "objects=shadow%20map,sums" chooses objects by name, in whose names
/// other bytes than letters and digits may stand as two hex digits. Each word stands once, and `of` not beside
/// `objects`. What is wrong goes to `problem`: then there is no plan.
[[nodiscard]] std::optional<FramePlan> parse_frame_plan(std::string_view text, std::string& problem);

/// HEDDLE_FRAME_PLAN. No value: all frames.
[[nodiscard]] Reading<FramePlan> read_frame_plan_variable();

}  // namespace heddle::base
