// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's handles are pointers to the driver's objects.

#include <pthread.h>
#include <vulkan/vk_icd.h>

#include <cstdint>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "vulkan/generated/newer.hpp"

namespace heddle::vulkan {

/// First base of an object whose handle the loader looks into.
struct Dispatchable {
  Dispatchable() { set_loader_magic_value(this); }
  Dispatchable(const Dispatchable&) = delete;
  Dispatchable& operator=(const Dispatchable&) = delete;

 private:
  [[maybe_unused]] VK_LOADER_DATA loader_data_{};
};

#define HEDDLE_HANDLE(Object, Handle)                                                              \
  inline Object* from_handle(Handle handle) { return reinterpret_cast<Object*>(handle); }          \
  inline Handle to_handle(const Object* object) {                                                  \
    return reinterpret_cast<Handle>(const_cast<Object*>(object)); /* NOLINT: handles are opaque */ \
  }
#define HEDDLE_DISPATCHABLE(Object, Handle)               \
  static_assert(std::is_base_of_v<Dispatchable, Object>); \
  HEDDLE_HANDLE(Object, Handle)

/// A thread that is canceled while it is in the driver ends when it leaves it: locks stay sound (SUB-4).
class Uncanceled {
 public:
  Uncanceled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncanceled() { pthread_setcancelstate(before_, nullptr); }
  Uncanceled(const Uncanceled&) = delete;
  Uncanceled& operator=(const Uncanceled&) = delete;

 private:
  int before_ = 0;
};

/// What `work` answers; a result where it throws: nothing leaves the driver by an exception.
template <typename Work>
VkResult guarded(Work&& work) noexcept {
  const Uncanceled uncanceled;
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  } catch (...) {
    return VK_ERROR_UNKNOWN;
  }
}

/// The structure of that type in a chain, or nullptr. Types that the driver does not know are passed over.
template <typename T>
const T* find_in_chain(const void* chain, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}
template <typename T>
T* find_out_chain(void* chain, VkStructureType type) {
  for (auto* s = static_cast<VkBaseOutStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<T*>(s);
  return nullptr;
}

/// Vulkan's way to give a list: the count alone, or as many as there is room for.
template <typename T, typename List, typename Write>
VkResult give_list(const List& list, std::uint32_t* count, T* out, Write&& write) {
  const auto there = static_cast<std::uint32_t>(std::size(list));
  if (out == nullptr) {
    *count = there;
    return VK_SUCCESS;
  }
  const std::uint32_t given = *count < there ? *count : there;
  auto item = std::begin(list);
  for (std::uint32_t i = 0; i < given; ++i, ++item) write(out[i], *item);
  *count = given;
  return given < there ? VK_INCOMPLETE : VK_SUCCESS;
}

}  // namespace heddle::vulkan
