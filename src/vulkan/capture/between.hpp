// SPDX-License-Identifier: MIT
#pragma once
// Passes and transfers that lie between captured commands, as lines for people: the explorer lists them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vulkan/commands/command.hpp"

namespace heddle::vulkan {

struct Device;

/// One line of UTF-8 without quotes, whatever the application's text is.
[[nodiscard]] std::string one_line(std::string text);

class Between {
 public:
  static constexpr std::size_t kMaxLines = 200;  ///< more are counted
  explicit Between(Device& device) : device_(device) {}
  /// A command that is about to run in a frame; draws, state and barriers leave no line. What was noted before frames
  /// that nobody noted is dropped: it does not stand before what comes now.
  void note(const Command& command, std::uint64_t frame);
  /// What was noted since.
  [[nodiscard]] std::vector<std::string> take();
  /// The same, which stays.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  Device& device_;
  std::vector<std::string> lines_;
  std::size_t more_ = 0;
  std::uint64_t frame_ = 0;  ///< of the last command
};

}  // namespace heddle::vulkan
