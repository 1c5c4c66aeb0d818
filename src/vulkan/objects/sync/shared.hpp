// SPDX-License-Identifier: MIT
#pragma once
// What fences, semaphores and events have in common: how they are made, waited for and destroyed.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/locks/brief_mutex.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/waits.hpp"

namespace heddle::vulkan {

/// Waits until `done`, the time is over (VK_TIMEOUT) or the device is lost. `others`: another process may bring it
/// about, so that the wait is never given up. `fence`: the only one that is waited for, or null.
template <typename Done>
VkResult timed_wait(Device& device, std::uint64_t timeout, const char* command, std::string_view what, Done&& done,
                    bool others = false, const void* fence = nullptr) {
  std::unique_lock lock = base::lock_soon(device.mutex);
  std::condition_variable& place = fence != nullptr ? device.changed.of_fence(fence) : device.changed.others();
  const auto over = [&] { return device.reports_loss() || done(); };
  if (is_endless(timeout) && others) {
    const Uncanceled uncanceled;
    place.wait(lock, over);
  } else if (is_endless(timeout)) {
    wait_without_end(device, lock, command, what, place, done);
  } else {
    const Uncanceled uncanceled;
    if (!place.wait_until(lock, std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout), over))
      return VK_TIMEOUT;
  }
  return done() ? VK_SUCCESS : VK_ERROR_DEVICE_LOST;
}

/// Fences and semaphores that submissions still use: said, and they live until those have ended
/// (SUB-4).
template <typename Object>
void destroy_unused(VkDevice handle, Object* object, const char* command, const char* what) {
  if (object == nullptr) return;
  Device& device = *from_handle(handle);
  {
    std::unique_lock lock(device.mutex);
    if (object->pending != 0) {
      lock.unlock();
      device.physical.instance.error("vulkan-in-use", std::string(command) + ": a submission still uses the " + what +
                                                          ", which waits for its end");
      lock.lock();
      wait_without_end(device, lock, command, "", [&] { return object->pending == 0; });
    }
  }
  destroy(handle, object);
}

template <typename Object, typename Handle>
VkResult create_object(Object object, Handle* handle) {
  return guarded([&] {
    *handle = to_handle(new Object(object));
    return VK_SUCCESS;
  });
}

}  // namespace heddle::vulkan
