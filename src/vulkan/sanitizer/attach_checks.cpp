// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/attach_checks.hpp"

#include <memory>

#include "pipeline/compute/compute.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/sanitizer/command_checks.hpp"
#include "vulkan/sanitizer/input_checks.hpp"
#include "vulkan/sanitizer/pass_checks.hpp"
#include "vulkan/sanitizer/shader_checks.hpp"
#include "vulkan/sanitizer/shader_trace.hpp"
#include "vulkan/sanitizer/transfer_checks.hpp"

namespace heddle::vulkan {

void attach_checks(CommandContext& context) {
  Device& device = context.device;
  if (device.traced) {
    expect_trace(*device.traced);
    context.hooks.trace_dispatch = [invocation = *device.traced](const Pipeline& pipeline, const pipeline::Grid& grid) {
      return make_tracer(pipeline.program->program().source(), pipeline.program->plan(), grid, invocation);
    };
  }
  if (!device.checks) return;
  const auto watch = std::make_shared<CommandWatch>(device, context.labels);
  context.observers = {.commands = std::make_unique<CommandChecks>(watch),
                       .transfers = std::make_unique<TransferChecks>(watch),
                       .passes = std::make_unique<PassChecks>(context, watch),
                       .shaders = std::make_unique<ShaderChecks>(context, watch),
                       .inputs = std::make_unique<InputChecks>(context, watch)};
}

}  // namespace heddle::vulkan
