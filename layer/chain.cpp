// SPDX-License-Identifier: MIT
#include "layer/chain.hpp"

#include <vulkan/vk_layer.h>

#include <cstring>

namespace heddle::layer {
namespace {

/// 0 where the structure is not known.
std::size_t bytes_of(VkStructureType type) {
  switch (static_cast<int>(type)) {
#define X(name, structure)       \
  case VK_STRUCTURE_TYPE_##name: \
    return sizeof(structure);
    X(LOADER_DEVICE_CREATE_INFO, VkLayerDeviceCreateInfo)
#include "layer/structures.inc"
#undef X
    default:
      return 0;
  }
}

/// Elements of `ChainEdit`'s copies.
std::size_t room_for(std::size_t bytes) { return (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t); }

}  // namespace

ChainEdit::ChainEdit(const void* chain, VkStructureType type, VkBaseInStructure* replacement) : head_(chain) {
  const auto* const first = static_cast<const VkBaseInStructure*>(chain);
  const VkBaseInStructure* found = first;
  std::size_t room = 0;
  std::optional<VkStructureType> unknown;
  for (; found != nullptr && found->sType != type; found = found->pNext) {
    room += room_for(bytes_of(found->sType));
    if (bytes_of(found->sType) == 0 && !unknown) unknown = found->sType;
  }
  if (found == nullptr) return;
  obstacle_ = unknown;
  if (obstacle_) return;
  if (replacement != nullptr) replacement->pNext = found->pNext;
  copies_.resize(room);
  copy(first, found, replacement != nullptr ? replacement : found->pNext);
}

/// Those before `end`, with `rest` behind them.
void ChainEdit::copy(const VkBaseInStructure* first, const VkBaseInStructure* end, const VkBaseInStructure* rest) {
  VkBaseInStructure* last = nullptr;
  const auto link = [&](const VkBaseInStructure* next) {
    if (last == nullptr)
      head_ = next;
    else
      last->pNext = next;
  };
  std::max_align_t* room = copies_.data();
  for (const VkBaseInStructure* s = first; s != end; s = s->pNext) {
    auto* const made = reinterpret_cast<VkBaseInStructure*>(room);
    std::memcpy(made, s, bytes_of(s->sType));
    link(made);
    last = made;
    room += room_for(bytes_of(s->sType));
  }
  link(rest);
}

}  // namespace heddle::layer
