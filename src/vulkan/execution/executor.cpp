// SPDX-License-Identifier: MIT
#include "vulkan/execution/executor.hpp"

#include <exception>
#include <new>
#include <span>
#include <string>

#include "base/arenas.hpp"
#include "vulkan/commands/command_buffer.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/properties.hpp"
#include "vulkan/execution/unexecuted.hpp"
#include "vulkan/generated/commands.hpp"

namespace heddle::vulkan {
namespace {

template <typename Part, typename C>
concept Runs = requires(Part& part, const C& command) { part.run(command); };

/// Commands that leave all state as it is.
bool only_draws(CommandType type) {
  return type == CommandType::Draw || type == CommandType::DrawIndexed || type == CommandType::DrawIndirect ||
         type == CommandType::DrawIndexedIndirect;
}

}  // namespace

Executor::Executor(Device& device)
    : context_(device),
      shaders_(context_),
      state_(context_),
      transfers_(context_),
      synchronization_(context_),
      queries_(context_),
      passes_(context_),
      dispatches_(context_, shaders_, queries_),
      draws_(context_, shaders_, queries_) {
  base::open_arenas();
}

template <typename C>
void Executor::run(const C& command) {
  constexpr int kPlaces = Runs<StateCommands, C> + Runs<Transfers, C> + Runs<Synchronization, C> + Runs<Queries, C> +
                          Runs<Passes, C> + Runs<Dispatches, C> + Runs<Draws, C> + IgnoredCommands::kHas<C> +
                          RefusedCommands::kHas<C>;
  static_assert(kPlaces == 1, "a recorded command has one part that runs it, or stands in one list of unexecuted.hpp");
  if constexpr (Runs<Dispatches, C> || Runs<Draws, C> || Runs<Passes, C>)
    if (context_.only_transfers)
      return context_.error(std::string(command_name(command.type)) +
                            ": the queue's family only transfers; the command is passed over");
  if constexpr (Runs<StateCommands, C>) state_.run(command);
  if constexpr (Runs<Transfers, C>) transfers_.run(command);
  if constexpr (Runs<Synchronization, C>) synchronization_.run(command);
  if constexpr (Runs<Queries, C>) queries_.run(command);
  if constexpr (Runs<Passes, C>) passes_.run(command);
  if constexpr (Runs<Dispatches, C>) dispatches_.run(command);
  if constexpr (Runs<Draws, C>) draws_.run(command);
  if constexpr (RefusedCommands::kHas<C>) refuse(command);
  if constexpr (Runs<Synchronization, C> || Runs<Passes, C>) ++context_.visible_writes;
  // Those that may write to buffers and images.
  if constexpr (Runs<Transfers, C> || Runs<Queries, C> || Runs<Passes, C> || Runs<Dispatches, C> || Runs<Draws, C>)
    context_.device.sparse.settle();
}

void Executor::refuse(const Command& command) const {
  context_.error(std::string(command_name(command.type)) + ": the driver does not have this command");
}

void Executor::run_primary(const CommandBuffer& buffer) {
  context_.begin_primary();
  nested_ = 0;
  queries_.forget_active();
  run_all(buffer);
}

void Executor::run_all(const CommandBuffer& buffer) {
  Device& device = context_.device;
  CommandObserver* const observer = context_.observers.commands.get();
  if (observer != nullptr) observer->begin_buffer();
  for (const Command* command = buffer.first; command != nullptr && !device.lost; command = command->next) {
    if (observer != nullptr) observer->begin_command(*command);
    if (!only_draws(command->type)) context_.prepared = nullptr;
    try {
      if (context_.hooks.before_command) context_.hooks.before_command(*command);
      if (const Command* const last = draws_.run_together(*command); last != nullptr) {
        device.sparse.settle();
        command = last;
      } else {
        commands::visit(*command, *this);
      }
    } catch (const std::bad_alloc&) {
      device.lose(std::string(command_name(command->type)) + ": the host has no memory left");
    } catch (const std::exception& problem) {
      device.lose(std::string(command_name(command->type)) + ": " + problem.what());
    }
  }
  if (observer != nullptr) observer->end_buffer();
}

void Executor::run(const commands::ExecuteCommands& c) {
  if (nested_ > kMaxNestedCommands)  // one that executes itself
    return context_.error("vkCmdExecuteCommands: command buffers lie more than " + std::to_string(kMaxNestedCommands) +
                          " deep within each other; the command is passed over");
  ++nested_;
  for (const VkCommandBuffer handle : std::span(c.pCommandBuffers, c.commandBufferCount)) {
    context_.reset_state();
    const CommandBuffer& buffer = *from_handle(handle);
    if (buffer.secondary && buffer.ended)
      run_all(buffer);
    else
      context_.error(
          "vkCmdExecuteCommands: the command buffer is no secondary one, or "
          "vkEndCommandBuffer was not called; it is passed over");
  }
  --nested_;
  context_.reset_state();
}

}  // namespace heddle::vulkan
