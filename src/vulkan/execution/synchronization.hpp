// SPDX-License-Identifier: MIT
#pragma once
// Events and barriers. Commands run one after another, so every barrier holds already: only observers look at them.

#include <vulkan/vulkan.h>

#include <cstdint>

#include "vulkan/commands/command.hpp"

namespace heddle::vulkan {

struct QueueContext;

class Synchronization {
 public:
  explicit Synchronization(QueueContext& context) : context_(context) {}

  void run(const commands::SetEvent& c);
  void run(const commands::SetEvent2& c);
  void run(const commands::ResetEvent& c);
  void run(const commands::ResetEvent2& c);
  void run(const commands::WaitEvents& c);
  void run(const commands::WaitEvents2& c);
  void run(const commands::PipelineBarrier& c);
  void run(const commands::PipelineBarrier2& c);

 private:
  void set(VkEvent event, bool value);
  void wait_for(const VkEvent* events, std::uint32_t count);

  QueueContext& context_;
};

}  // namespace heddle::vulkan
