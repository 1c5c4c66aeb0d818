#pragma once
// Descriptor set layouts, pools, sets and update templates. A descriptor holds surfaces and samplers ready to be bound,
// and keeps them alive: objects may go away while a set that nobody uses still names them.

#include <vulkan/vulkan.h>

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "machine/bindings.hpp"
#include "spirv/compile/compile.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Descriptor {
  machine::SurfaceResource surface;  ///< null: a null descriptor, none yet, or a buffer's that was never bound
  machine::SurfaceResource samples;  ///< of a multisampled storage image: its samples as layers
  std::shared_ptr<const std::array<machine::SurfaceResource, 2>> planes;  ///< of a sampled image with several
  machine::SamplerResource sampler;
  std::uint64_t object = 0;                          ///< handle of the buffer or view, for its debug name
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;  ///< that the image will be in, as the application says
  // Of buffers, whose surfaces are made when they are bound: many more are written than ever used.
  std::shared_ptr<image::Memory> memory;
  std::uint64_t offset = 0, range = 0;  ///< in bytes; VK_WHOLE_SIZE: to the buffer's end
};
/// What is bound for it; null: nothing.
[[nodiscard]] const machine::SurfaceResource& ready_surface(Descriptor& descriptor);

struct SetLayout {
  struct Binding {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;    ///< of an inline uniform block, which is one descriptor
    std::uint32_t first = 0;    ///< index of element 0 among the set's descriptors
    std::uint32_t dynamic = 0;  ///< index of element 0 among the set's dynamic offsets
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
  bool variable = false;    ///< the last binding's count is chosen when a set is made
  bool concurrent = false;  ///< written while sets are in use, or by several threads: under Device::descriptors
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

struct DescriptorPool;

struct DescriptorSet {
  std::shared_ptr<const SetLayout> layout;
  std::vector<Descriptor> descriptors;
  std::uint64_t identity = machine::new_identity();  ///< no other set ever has it
  std::uint64_t changes = 0;
};

struct DescriptorPool {
  std::uint32_t sets_left = 0;
  std::uint32_t most_sets = 0;
  std::map<DescriptorSet*, std::unique_ptr<DescriptorSet>> sets;
};

struct UpdateTemplate {
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  std::shared_ptr<const SetLayout> layout;  ///< of push descriptors
  VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_COMPUTE;
  std::uint32_t set = 0;
};

struct PipelineLayout {
  std::vector<std::shared_ptr<const SetLayout>> sets;
};

/// What a write says of one element.
struct WrittenDescriptor {
  VkDescriptorType type;
  const VkDescriptorImageInfo* image;
  const VkDescriptorBufferInfo* buffer;
  const VkBufferView* view;
};
/// Writes a descriptor. Parts of `to` that would not change are not touched. `immutable`: the layout's sampler, or
/// null.
void write_descriptor(Descriptor& to, const WrittenDescriptor& from, const machine::SamplerResource* immutable);

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
template <typename Write>
void for_each_written(const SetLayout& layout, const UpdateTemplate& from, const void* data, Write&& write) {
  for (const VkDescriptorUpdateTemplateEntry& entry : from.entries) {
    if (entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) continue;  // bytes, not descriptors
    for (std::uint32_t i = 0; i < entry.descriptorCount; ++i) {
      const auto* bytes = static_cast<const std::byte*>(data) + entry.offset + i * entry.stride;
      VkWriteDescriptorSet one{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
      one.dstBinding = entry.dstBinding;
      one.dstArrayElement = entry.dstArrayElement + i;
      one.descriptorCount = 1;
      one.descriptorType = entry.descriptorType;
      one.pImageInfo = reinterpret_cast<const VkDescriptorImageInfo*>(bytes);
      one.pBufferInfo = reinterpret_cast<const VkDescriptorBufferInfo*>(bytes);
      one.pTexelBufferView = reinterpret_cast<const VkBufferView*>(bytes);
      for_each_written(layout, one, write);
    }
  }
}

HEDDLE_HANDLE(DescriptorSetLayout, VkDescriptorSetLayout)
HEDDLE_HANDLE(DescriptorSet, VkDescriptorSet)
HEDDLE_HANDLE(DescriptorPool, VkDescriptorPool)
HEDDLE_HANDLE(UpdateTemplate, VkDescriptorUpdateTemplate)
HEDDLE_HANDLE(PipelineLayout, VkPipelineLayout)

}  // namespace heddle::vulkan
