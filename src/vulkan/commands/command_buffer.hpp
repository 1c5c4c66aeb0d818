// SPDX-License-Identifier: MIT
#pragma once
// Command pools and buffers: commands are recorded with their arguments, and carried out by the queue.

#include <vulkan/vulkan.h>

#include <atomic>
#include <memory>
#include <set>
#include <vector>

#include "vulkan/api/handles.hpp"
#include "vulkan/commands/arena.hpp"
#include "vulkan/commands/command.hpp"
#include "vulkan/objects/descriptors/descriptor.hpp"
#include "vulkan/objects/descriptors/descriptor_set_layout.hpp"

namespace heddle::vulkan {

/// The descriptors of a push descriptor command, read when it is recorded.
struct PushedDescriptors {
  bool compute = true;  ///< for dispatches; else for draws
  std::uint32_t set = 0;
  std::shared_ptr<const SetLayout> layout;
  struct Write {
    std::uint32_t index;  ///< among the set's descriptors
    Descriptor descriptor;
  };
  std::vector<Write> writes;
};

/// Sets of a layout that lie in descriptor buffers; the layout is read when the command is recorded.
struct PlacedSets {
  bool compute = true;  ///< for dispatches; else for draws
  struct One {
    std::uint32_t set = 0;
    std::shared_ptr<const SetLayout> layout;
    std::uint32_t buffer = 0;  ///< of those that are bound
    std::uint64_t offset = 0;
  };
  std::vector<One> sets;
};

struct CommandPool;

struct CommandBuffer : Dispatchable {
  explicit CommandBuffer(CommandPool& owner, bool is_secondary) : pool(owner), secondary(is_secondary) {}
  CommandPool& pool;
  const bool secondary;
  bool ended = false;  ///< it may be executed
  /// Submissions of it that have not ended; they change under Device::mutex.
  mutable std::atomic<unsigned> pending = 0;
  VkResult state = VK_SUCCESS;  ///< what went wrong while commands were recorded
  const Command* first = nullptr;
  Command* last = nullptr;
  Arena arena;
  std::vector<std::unique_ptr<PushedDescriptors>> pushed;
  std::vector<std::unique_ptr<PlacedSets>> placed;

  void reset(bool release);
  void append(Command* command) {
    (last == nullptr ? first : last->next) = command;
    last = command;
  }
};

struct Device;

struct CommandPool {
  explicit CommandPool(Device& of) : device(of) {}
  Device& device;
  VkCommandPoolCreateFlags flags = 0;
  std::set<CommandBuffer*> buffers;
  ~CommandPool();
};

HEDDLE_DISPATCHABLE(CommandBuffer, VkCommandBuffer)
HEDDLE_HANDLE(CommandPool, VkCommandPool)

}  // namespace heddle::vulkan
