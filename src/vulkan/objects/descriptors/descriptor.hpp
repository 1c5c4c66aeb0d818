// SPDX-License-Identifier: MIT
#pragma once
// A descriptor holds surfaces and samplers ready to be bound, and keeps them alive: objects may go away while a set
// that nobody uses still names them.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <memory>

#include "machine/bindings.hpp"
#include "vulkan/objects/memory/buffer.hpp"

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

/// Of a buffer: the most frequent write.
inline void write_buffer(Descriptor& to, const VkDescriptorBufferInfo& from) {
  const Buffer* of = from_handle(from.buffer);
  to.object = reinterpret_cast<std::uint64_t>(of);
  to.offset = from.offset;
  to.range = from.range;
  if (to.surface) to.surface = nullptr;
  if (of == nullptr)
    to.memory = nullptr;
  else if (to.memory != of->memory)
    to.memory = of->memory;
}

/// A block of bytes that is one descriptor.
[[nodiscard]] constexpr bool is_inline(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
}
[[nodiscard]] constexpr bool is_buffer(VkDescriptorType type) {
  return type >= VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER && type <= VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

}  // namespace heddle::vulkan
