// SPDX-License-Identifier: MIT
#pragma once
// Checks of barriers, and of the order in which commands run. Rules: run-image-layout, run-barrier-missing.

#include <memory>
#include <vector>

#include "vulkan/execution/context/observers.hpp"
#include "vulkan/sanitizer/command_watch.hpp"

namespace heddle::vulkan {

class CommandChecks final : public CommandObserver {
 public:
  explicit CommandChecks(std::shared_ptr<CommandWatch> watch) : watch_(std::move(watch)) {}

  void begin_submission() override { watch_->begin_submission(); }
  void begin_buffer() override { outer_.push_back(watch_->begin_buffer()); }
  void end_buffer() override;
  void begin_command(const Command& command) override;
  void depend(const VkDependencyInfo& dependency) override;

 private:
  void depend(const VkImageMemoryBarrier2& barrier);

  std::shared_ptr<CommandWatch> watch_;
  std::vector<std::uint64_t> outer_;  ///< commands of the buffers around the one that runs
};

}  // namespace heddle::vulkan
