// SPDX-License-Identifier: MIT
#pragma once
// Fences: the host waits for what was submitted. Their state changes under Device::mutex.

#include <vulkan/vulkan.h>

#include <memory>
#include <utility>

#include "vulkan/api/handles.hpp"
#include "vulkan/objects/sync/payload.hpp"

namespace heddle::vulkan {

struct Fence {
  std::shared_ptr<Payload> payload;
  std::shared_ptr<Payload> permanent;  ///< where `payload` was imported until the fence is reset
  unsigned pending = 0;                ///< submissions that will signal it
  [[nodiscard]] bool is_signaled() const { return payload->value() != 0; }
  void signal() { payload->raise(1); }
  void reset() {
    if (permanent != nullptr) payload = std::exchange(permanent, nullptr);
    payload->reset();
  }
};

HEDDLE_HANDLE(Fence, VkFence)

}  // namespace heddle::vulkan
