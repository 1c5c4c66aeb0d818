// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_TEXELS: who counts texels while commands are carried out.

namespace heddle::vulkan {

struct CommandContext;

/// Adds the observers that count, where the device's texels are counted.
void attach_texels(CommandContext& context);

/// Pictures were presented, after all commands before were carried out: a frame ends.
void tell_presented(CommandContext& context);

}  // namespace heddle::vulkan
