// SPDX-License-Identifier: MIT
#include "vulkan/execution/context/command_context.hpp"

#include "base/limits.hpp"
#include "vulkan/device/device.hpp"

namespace heddle::vulkan {

void CommandContext::begin_submission() {
  base::Limits limits;
  limits.seconds = device.time_limit;
  budget.emplace(limits, engine::reference::Seconds::Processor, workers);
  ++visible_writes;
  if (observers.commands) observers.commands->begin_submission();
}

void CommandContext::reset_state() {
  compute.reset();
  graphics.reset();
  state = {};
  input = {};
  prepared = nullptr;
  buffers = {};
  feedback = {};
  descriptor_buffers = {};
  push.fill(std::byte{0});
}

void CommandContext::begin_primary() {
  reset_state();
  rendering = {};
  labels.clear();
  skips = false;
}

}  // namespace heddle::vulkan
