// SPDX-License-Identifier: MIT
#include "vulkan/texels/attach_texels.hpp"

#include <memory>

#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/generated/extensions.hpp"
#include "vulkan/texels/texel_observers.hpp"

namespace heddle::vulkan {

void attach_texels(CommandContext& context) {
  Device& device = context.device;
  auto* const watched = dynamic_cast<TexelObjects*>(device.observer.get());
  if (watched == nullptr) return;
  TexelSession* const session = TexelSession::instance();
  TexelObjects& objects = *watched;
  if (device.enabled.test(static_cast<std::size_t>(Extension::KHR_swapchain)))
    objects.frames = TexelSession::Frames::Presents;
  const auto work = std::make_shared<TexelWork>(TexelWork{context, *session, objects, 0, {}, {}, false, {}});
  context.observers.commands = std::make_unique<TexelCommands>(work);
  context.observers.transfers = std::make_unique<TexelTransfers>(work);
  context.observers.passes = std::make_unique<TexelPasses>(work);
  context.hooks.after_submission = [session, number = objects.number(),
                                    after = std::move(context.hooks.after_submission)] {
    session->pass_over_device_writes(number);
    if (after) after();
  };
  context.hooks.before_draw = [work, before = std::move(context.hooks.before_draw)](const GraphicsPipeline& pipeline,
                                                                                    const DrawStart& draw) {
    if (before) before(pipeline, draw);
    if (draw.rasterized) work->prepare(pipeline);
  };
}

void tell_presented(CommandContext& context) {
  if (auto* const commands = dynamic_cast<TexelCommands*>(context.observers.commands.get()); commands != nullptr)
    commands->presented();
}

void tell_frame_end(CommandContext& context) {
  if (auto* const commands = dynamic_cast<TexelCommands*>(context.observers.commands.get()); commands != nullptr)
    commands->frame_ended();
}

}  // namespace heddle::vulkan
