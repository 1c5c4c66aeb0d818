// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_GOLDEN: pictures that a program presents or draws, as files with their hashes, for `heddle golden`.

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/environment/frame_plan.hpp"
#include "image/surface.hpp"

namespace heddle::vulkan {

struct CommandContext;

/// The frames of this process, counted from 0 whatever is recorded of them. Of each that is wanted FOLDER gets
/// NNNNNN.png (.exr where it has no 8 or 16-bit texels, or none), and NNNNNN.txt when that is whole: format, width,
/// height, SHA-256 of the texels, name of the picture, name of the object. FOLDER/count has the number of frames,
/// FOLDER/seen-N is there when an object of the N-th name is.
class FrameRecorder {
 public:
  /// The process's own; null where HEDDLE_GOLDEN is not set.
  [[nodiscard]] static FrameRecorder* find();
  FrameRecorder(std::string folder, base::FramePlan plan) : folder_(std::move(folder)), plan_(std::move(plan)) {}

  [[nodiscard]] bool of_presents() const { return !plan_.targets && plan_.objects.empty(); }
  [[nodiscard]] bool of_targets() const { return plan_.targets; }
  [[nodiscard]] const std::vector<std::string>& chosen_objects() const { return plan_.objects; }
  /// One frame, of an object with a name where frames are of those; what went wrong, or nothing.
  [[nodiscard]] std::string add(const image::Surface& picture, const std::string& name = {});
  [[nodiscard]] std::string add(std::span<const std::uint8_t> bytes, const std::string& name);
  /// There is an object of that one of the chosen names.
  void note_seen(std::size_t name);

 private:
  /// What a frame's note says of it.
  struct Note {
    std::string format, sha256, ending;
    std::uint64_t width = 0, height = 0;
  };
  template <typename Write>
  [[nodiscard]] std::string add_frame(const std::string& name, const Write& write);
  [[nodiscard]] std::string write_note(std::uint64_t frame, const std::string& stem, const Note& note,
                                       const std::string& name) const;
  std::mutex mutex_;
  std::set<std::size_t> seen_;
  const std::string folder_;
  const base::FramePlan plan_;
  std::uint64_t next_ = 0;
};

/// Where render targets are recorded: what the draws of a submission wrote becomes frames when it has run, each target
/// once, in the order of the first draws. Where objects are: NamedFrames.
void attach_frame_recorder(CommandContext& context);

}  // namespace heddle::vulkan
