// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_GOLDEN: pictures that a program presents or draws, as files with their hashes, for `heddle golden`.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/environment/frame_plan.hpp"
#include "image/surface.hpp"

namespace heddle::vulkan {

struct CommandContext;

/// The frames of this process, counted from 0 whatever is recorded of them. Of each that is wanted FOLDER gets
/// NNNNNN.png (.exr where it has no 8 or 16-bit texels, or none), and NNNNNN.txt when that is whole: format, width,
/// height, SHA-256 of the texels, name of the picture. FOLDER/count has the number of frames.
class FrameRecorder {
 public:
  /// The process's own; null where HEDDLE_GOLDEN is not set.
  [[nodiscard]] static FrameRecorder* find();
  FrameRecorder(std::string folder, base::FramePlan plan) : folder_(std::move(folder)), plan_(std::move(plan)) {}

  [[nodiscard]] bool of_targets() const { return plan_.targets; }
  /// One frame; what went wrong, or nothing.
  [[nodiscard]] std::string add(const image::Surface& picture);

 private:
  [[nodiscard]] std::string write(std::uint64_t frame, const image::Surface& picture) const;
  std::mutex mutex_;
  const std::string folder_;
  const base::FramePlan plan_;
  std::uint64_t next_ = 0;
};

/// Where render targets are recorded: what the draws of a submission wrote becomes frames when it has run, each target
/// once, in the order of the first draws.
void attach_frame_recorder(CommandContext& context);

}  // namespace heddle::vulkan
