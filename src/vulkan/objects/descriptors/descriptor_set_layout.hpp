// SPDX-License-Identifier: MIT
#pragma once
// Descriptor set layouts: which descriptors a set has, and where among them each binding begins.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "machine/bindings.hpp"
#include "spirv/compile/compile.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/objects/descriptors/descriptor.hpp"

namespace heddle::vulkan {

struct SetLayout {
  struct Binding {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;    ///< of an inline uniform block, which is one descriptor
    std::uint32_t first = 0;    ///< index of element 0 among the set's descriptors
    std::uint32_t dynamic = 0;  ///< index of element 0 among the set's dynamic offsets
    std::uint64_t place = 0;    ///< of element 0 in a descriptor buffer
    std::uint32_t stored = 0;   ///< bytes of an element there; 0: it has none there
    std::uint32_t types = 0;    ///< that its descriptors may have, a bit each
    std::vector<machine::SamplerResource> immutable;
    std::vector<spirv::SampledPlanes> planes;  ///< of the immutable samplers; none where none has a conversion
    bool operator==(const Binding& other) const;
    [[nodiscard]] bool is_dynamic() const {
      return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    }
  };
  std::vector<std::pair<std::uint32_t, Binding>> bindings;  ///< by number, in rising order
  std::uint32_t numbered = 0;  ///< how many of them have their place in the list as their number
  std::uint32_t descriptors = 0, dynamic_offsets = 0;
  std::uint64_t stored = 0;  ///< bytes of a set in a descriptor buffer
  bool embedded = false;     ///< it has nothing but samplers that it brings itself
  bool variable = false;     ///< the last binding's count is chosen when a set is made
  bool concurrent = false;   ///< written while sets are in use, or by several threads: under Device::descriptors
  /// Defined identically, as Vulkan says when descriptors of one may be used through the other.
  bool operator==(const SetLayout&) const = default;
  /// Index among `bindings`; their number: there is none.
  [[nodiscard]] std::size_t index_of(std::uint32_t number) const { return number < numbered ? number : search(number); }
  [[nodiscard]] const Binding* find(std::uint32_t number) const {
    const std::size_t at = index_of(number);
    return at == bindings.size() ? nullptr : &bindings[at].second;
  }

 private:
  [[nodiscard]] std::size_t search(std::uint32_t number) const;
};
/// Sets and pipeline layouts outlive the handle of their layout.
struct DescriptorSetLayout {
  std::shared_ptr<const SetLayout> layout;
};

/// Calls write(index in the set, what is written, immutable sampler or null) for each descriptor of a write: those
/// behind the end of a binding belong to the next one.
template <typename Write>
void for_each_written(const SetLayout& layout, const VkWriteDescriptorSet& from, Write&& write) {
  std::size_t at = layout.index_of(from.dstBinding);
  std::uint32_t element = from.dstArrayElement;
  for (std::uint32_t i = 0; i < from.descriptorCount; ++i, ++element) {
    while (at < layout.bindings.size() && element >= layout.bindings[at].second.count)
      element -= layout.bindings[at++].second.count;
    if (at >= layout.bindings.size()) return;
    const SetLayout::Binding& binding = layout.bindings[at].second;
    write(std::size_t{binding.first} + element,
          WrittenDescriptor{from.descriptorType, from.pImageInfo == nullptr ? nullptr : from.pImageInfo + i,
                            from.pBufferInfo == nullptr ? nullptr : from.pBufferInfo + i,
                            from.pTexelBufferView == nullptr ? nullptr : from.pTexelBufferView + i},
          element < binding.immutable.size() ? &binding.immutable[element] : nullptr);
  }
}
HEDDLE_HANDLE(DescriptorSetLayout, VkDescriptorSetLayout)

}  // namespace heddle::vulkan
