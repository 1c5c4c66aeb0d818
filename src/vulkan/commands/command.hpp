// SPDX-License-Identifier: MIT
#pragma once
// A recorded command: its type, then what the generated structure of that type adds.

#include "vulkan/generated/command_types.hpp"

namespace heddle::vulkan {

struct PlacedSets;
struct PushedDescriptors;

struct Command {
  CommandType type{};
  const Command* next = nullptr;
};

}  // namespace heddle::vulkan
