// SPDX-License-Identifier: MIT
#pragma once
// How structures of properties are filled: a row for each, found by its type.

#include <cstddef>
#include <cstring>
#include <span>

#include <vulkan/vulkan.h>

namespace heddle::vulkan {

struct PropertyRow {
  VkStructureType type;
  void (*set)(VkBaseOutStructure& to);
};

/// Those of the versions of Vulkan, with the extensions that became part of one; those of all other extensions.
[[nodiscard]] std::span<const PropertyRow> version_properties();
[[nodiscard]] std::span<const PropertyRow> extension_properties();

/// Ends with a zero, cut where it is longer.
inline void copy_text(char* to, std::size_t size, const char* from) {
  std::strncpy(to, from, size - 1);
  to[size - 1] = 0;
}

/// Clears all members, but for what says which structure it is and which one follows.
template <typename T>
void clear(T& p) {
  void* const next = p.pNext;
  const VkStructureType type = p.sType;
  p = {};
  p.sType = type;
  p.pNext = next;
}

}  // namespace heddle::vulkan
