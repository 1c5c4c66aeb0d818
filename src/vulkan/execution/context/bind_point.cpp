// SPDX-License-Identifier: MIT
#include "vulkan/execution/context/bind_point.hpp"

namespace heddle::vulkan {

void BindPoint::reset() {
  pipeline = nullptr;
  shaders = {};
  for (BoundSet& bound : sets) bound.set = nullptr, bound.placed = nullptr;
  for (const auto& set : pushed)
    if (set) set->layout = nullptr;
}

Descriptor* BindPoint::find(const Shader::Slot& slot, std::uint32_t k) const {
  if (slot.set >= kMaxSets || sets[slot.set].set == nullptr) return nullptr;
  DescriptorSet& set = *sets[slot.set].set;
  const SetLayout::Binding* binding = set.layout->find(slot.binding);
  if (binding == nullptr || slot.element + k >= binding->count) return nullptr;
  const std::size_t at = std::size_t{binding->first} + slot.element + k;
  return at < set.descriptors.size() ? &set.descriptors[at] : nullptr;
}

}  // namespace heddle::vulkan
