// SPDX-License-Identifier: MIT
#pragma once
// A recorded command: its type, then what the generated structure of that type adds.

#include <concepts>

#include "vulkan/generated/command_types.hpp"

namespace heddle::vulkan {

struct PlacedSets;
struct PushedDescriptors;

struct Command {
  CommandType type{};
  const Command* next = nullptr;
};

/// One of these recorded commands: forms of one command, which do the same.
template <typename C, typename... Forms>
concept AnyOf = (std::same_as<C, Forms> || ...);

}  // namespace heddle::vulkan
