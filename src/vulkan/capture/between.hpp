// SPDX-License-Identifier: MIT
#pragma once
// Passes and transfers that lie between captured commands, as lines for people: the explorer lists them.

#include <cstddef>
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
  /// A command that is about to run; draws, state and barriers leave no line.
  void note(const Command& command);
  /// What was noted since.
  [[nodiscard]] std::vector<std::string> take();
  /// The same, which stays.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  Device& device_;
  std::vector<std::string> lines_;
  std::size_t more_ = 0;
};

}  // namespace heddle::vulkan
