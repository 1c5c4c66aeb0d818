// SPDX-License-Identifier: MIT
#pragma once
// What holds for all commands of the queue: the device, how many threads may work, who looks on.

#include <string>

#include "base/result.hpp"
#include "vulkan/execution/context/observers.hpp"

namespace heddle::vulkan {

struct Command;
struct Device;

struct QueueContext {
  explicit QueueContext(Device& of);
  Device& device;
  const unsigned workers;  ///< threads
  ExecutionObservers observers;
  ExecutionHooks hooks;

  /// Tells the application what is wrong with a command.
  void error(const std::string& message) const;
  void report(const Command& command, const base::Result<base::Done>& done) const;
};

}  // namespace heddle::vulkan
