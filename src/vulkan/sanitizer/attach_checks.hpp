// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_CHECK and HEDDLE_TRACE: who looks on while commands are carried out.

namespace heddle::vulkan {

struct CommandContext;

/// Adds the observers that the environment asks for to what the queue's thread runs commands with.
void attach_checks(CommandContext& context);

}  // namespace heddle::vulkan
