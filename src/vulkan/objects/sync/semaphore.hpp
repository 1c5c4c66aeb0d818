// SPDX-License-Identifier: MIT
#pragma once
// Semaphores, binary ones and timelines. Their state changes under Device::mutex.

#include <vulkan/vulkan.h>

#include <cstdint>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

/// A binary semaphore is a flag, whose signals are numbered as they are submitted: one signal more before the flag is
/// taken changes nothing, and a wait takes it as it is submitted (SUB-2).
struct Semaphore {
  bool timeline = false;
  std::uint64_t value = 0;     ///< binary: the number of the last signal that has happened
  std::uint64_t promised = 0;  ///< binary: of the last one that was submitted
  std::uint64_t taken = 0;     ///< binary: of the last one that a submitted wait belongs to
  unsigned pending = 0;        ///< uses in submissions that have not ended
  /// Of a picture that may be used at once.
  void signal_now() { value = ++promised; }
};

HEDDLE_HANDLE(Semaphore, VkSemaphore)

}  // namespace heddle::vulkan
