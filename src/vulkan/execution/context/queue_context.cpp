// SPDX-License-Identifier: MIT
#include "vulkan/execution/context/queue_context.hpp"

#include "pipeline/run_context.hpp"
#include "vulkan/commands/command.hpp"
#include "vulkan/device/device.hpp"

namespace heddle::vulkan {

QueueContext::QueueContext(Device& of) : device(of), workers(pipeline::available_processors()) {}

void QueueContext::error(const std::string& message) const {
  device.physical.instance.error("vulkan-command", message);
}

void QueueContext::report(const Command& command, const base::Result<base::Done>& done) const {
  if (done.ok()) return;
  for (const base::Diagnostic& d : done.diagnostics())
    error(std::string(command_name(command.type)) + ": " + d.message);
}

}  // namespace heddle::vulkan
