// SPDX-License-Identifier: MIT
#pragma once
// Carries recorded commands out, one after another: each goes to the part that has a function for it. Belongs to the
// queue's thread.

#include <cstdint>

#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/dispatches.hpp"
#include "vulkan/execution/draws.hpp"
#include "vulkan/execution/passes.hpp"
#include "vulkan/execution/queries.hpp"
#include "vulkan/execution/shader_runs.hpp"
#include "vulkan/execution/state_commands.hpp"
#include "vulkan/execution/synchronization.hpp"
#include "vulkan/execution/transfers.hpp"

namespace heddle::vulkan {

struct CommandBuffer;

class Executor {
 public:
  explicit Executor(Device& device);
  /// Where observers and hooks are added.
  [[nodiscard]] CommandContext& context() { return context_; }

  /// A submission begins: its time runs from here. `transfers`: to a queue that does nothing else.
  void begin(bool transfers) {
    context_.only_transfers = transfers;
    context_.begin_submission();
  }
  void run_primary(const CommandBuffer& buffer);

  /// commands::visit calls it. A command that no part runs and no list names does not compile.
  template <typename C>
  void run(const C& command);
  void run(const commands::ExecuteCommands& c);

 private:
  void run_all(const CommandBuffer& buffer);
  void refuse(const Command& command) const;

  CommandContext context_;
  ShaderRuns shaders_;
  StateCommands state_;
  Transfers transfers_;
  Synchronization synchronization_;
  Queries queries_;
  Passes passes_;
  Dispatches dispatches_;
  Draws draws_;
  std::uint32_t nested_ = 0;  ///< how many vkCmdExecuteCommands the one that runs is within
};

}  // namespace heddle::vulkan
