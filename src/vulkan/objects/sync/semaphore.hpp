// SPDX-License-Identifier: MIT
#pragma once
// Semaphores, binary ones and timelines. Their state changes under Device::mutex.

#include <vulkan/vulkan.h>

#include <memory>

#include "vulkan/api/handles.hpp"
#include "vulkan/objects/sync/payload.hpp"

namespace heddle::vulkan {

/// A binary semaphore is a flag, whose signals are numbered as they are submitted: one signal more before the flag is
/// taken changes nothing, and a wait takes it as it is submitted (SUB-2).
struct Semaphore {
  std::shared_ptr<Payload> payload;
  std::shared_ptr<Payload> permanent;  ///< where `payload` was imported until it is waited for
  unsigned pending = 0;                ///< uses in submissions that have not ended
  [[nodiscard]] bool timeline() const { return payload->timeline(); }
  /// Of a picture that may be used at once.
  void signal_now() { payload->raise(payload->promise()); }
};

HEDDLE_HANDLE(Semaphore, VkSemaphore)

}  // namespace heddle::vulkan
