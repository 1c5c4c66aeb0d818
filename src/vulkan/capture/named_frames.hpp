// SPDX-License-Identifier: MIT
#pragma once
// Frames of `heddle golden --object`: images and buffers that are chosen by the names that the application gave them.

#include <cstdint>
#include <map>
#include <span>
#include <string>

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
  using Parts = std::map<std::string, std::string>;  ///< of an object: hashes, by the part
  /// Whether these bytes are new of a part; from now on they are known.
  [[nodiscard]] static bool is_new(Parts& parts, const std::string& part, std::span<const std::uint8_t> bytes);

  Device& device_;
  FrameRecorder& recorder_;
  std::map<std::uint64_t, Parts> known_;  ///< by the number of an object that was there at the last submission
};

}  // namespace heddle::vulkan
