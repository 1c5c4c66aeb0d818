// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_TEXELS: who counts texels while commands are carried out.

namespace heddle::vulkan {

struct CommandContext;

/// Adds the observers that count, where the device's texels are counted.
void attach_texels(CommandContext& context);

/// Pictures were presented, after all commands before were carried out: a frame ends, where the application does not
/// say itself where frames end.
void tell_presented(CommandContext& context);
/// The application says that the submission was the last of its frame (VK_EXT_frame_boundary).
void tell_frame_end(CommandContext& context);

}  // namespace heddle::vulkan
