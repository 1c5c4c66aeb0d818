// SPDX-License-Identifier: MIT
#pragma once
// Frames of `heddle golden --object`: images and buffers that are chosen by the names that the application gave them.

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace heddle::vulkan {

struct Device;
class FrameRecorder;

/// What is chosen becomes a frame when a submission has run and its bytes are others than at its last frame; before the
/// first one they count as zeros. Of an image each level, layer and sample is one of its own.
class NamedFrames {
 public:
  NamedFrames(Device& device, FrameRecorder& recorder) : device_(device), recorder_(recorder) {}
  /// A submission has run.
  void record();

 private:
  /// Whether these bytes are new of a part of an object; from now on they are known.
  [[nodiscard]] bool is_new(std::uint64_t object, const std::string& part, const std::string& sha256, bool all_zero);

  Device& device_;
  FrameRecorder& recorder_;
  std::map<std::pair<std::uint64_t, std::string>, std::string> known_;  ///< hashes, by an object's number and the part
};

}  // namespace heddle::vulkan
