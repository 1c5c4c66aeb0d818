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

  void run(const AnyOf<commands::SetEvent, commands::SetEvent2> auto& c) { set(c.event, true); }
  void run(const AnyOf<commands::ResetEvent, commands::ResetEvent2> auto& c) { set(c.event, false); }
  void run(const AnyOf<commands::WaitEvents, commands::WaitEvents2> auto& c) {
    wait_for(c.pEvents, c.eventCount);
    depend(c);
  }
  void run(const commands::PipelineBarrier& c);
  void run(const commands::PipelineBarrier2& c);

 private:
  void set(VkEvent event, bool value);
  void depend(const commands::WaitEvents& c);
  void depend(const commands::WaitEvents2& c);
  void wait_for(const VkEvent* events, std::uint32_t count);

  QueueContext& context_;
};

}  // namespace heddle::vulkan
