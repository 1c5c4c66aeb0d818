// SPDX-License-Identifier: MIT
#pragma once
// Structures behind pNext: found, and for the time of a call taken out or replaced.

#include <vulkan/vulkan.h>

namespace heddle::layer {

template <typename T>
[[nodiscard]] const T* find_in_chain(const void* chain, VkStructureType type) {
  for (const auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

/// While it lives, the chain that `head` begins has no structure of a type, or another one in its place. The chain is
/// the application's: it gets it back as it was.
class ChainEdit {
 public:
  ChainEdit(const void*& head, VkStructureType type, VkBaseInStructure* replacement = nullptr) {
    const void** link = &head;
    while (*link != nullptr && static_cast<const VkBaseInStructure*>(*link)->sType != type) link = next_of(*link);
    if (*link == nullptr) return;
    link_ = link;
    before_ = *link;
    const void* behind = *next_of(before_);
    if (replacement != nullptr) replacement->pNext = static_cast<const VkBaseInStructure*>(behind);
    *link_ = replacement != nullptr ? replacement : behind;
  }
  ~ChainEdit() {
    if (link_ != nullptr) *link_ = before_;
  }
  ChainEdit(const ChainEdit&) = delete;
  ChainEdit& operator=(const ChainEdit&) = delete;

 private:
  static const void** next_of(const void* structure) {
    auto* base = const_cast<VkBaseInStructure*>(static_cast<const VkBaseInStructure*>(structure));
    return reinterpret_cast<const void**>(&base->pNext);
  }

  const void** link_ = nullptr;
  const void* before_ = nullptr;
};

}  // namespace heddle::layer
