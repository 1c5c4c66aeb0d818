// SPDX-License-Identifier: MIT
#pragma once
// Structures behind pNext: found, and taken out or replaced in what goes down.

#include <vulkan/vulkan.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace heddle::layer {

template <typename T>
[[nodiscard]] const T* find_in_chain(const void* chain, VkStructureType type) {
  for (const auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

/// A chain without its structure of a type, or with another one in its place; it lives as long as this object does. The
/// application's chain may be constant, and others may read it: what stands before the structure is copied, what stands
/// behind it is shared, and nothing is written to it.
class ChainEdit {
 public:
  ChainEdit(const void* chain, VkStructureType type, VkBaseInStructure* replacement = nullptr);
  ChainEdit(const ChainEdit&) = delete;
  ChainEdit& operator=(const ChainEdit&) = delete;

  /// The chain to pass on. Where there is no such structure, or one before it cannot be copied: the application's.
  [[nodiscard]] const void* head() const { return head_; }
  /// Stands before the structure and cannot be copied, because its size is not known.
  [[nodiscard]] std::optional<VkStructureType> obstacle() const { return obstacle_; }

 private:
  void copy(const VkBaseInStructure* first, const VkBaseInStructure* end, const VkBaseInStructure* rest);

  const void* head_;
  std::optional<VkStructureType> obstacle_;
  std::vector<std::max_align_t> copies_;
};

}  // namespace heddle::layer
