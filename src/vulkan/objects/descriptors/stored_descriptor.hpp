// SPDX-License-Identifier: MIT
#pragma once
// Descriptors as they lie in descriptor buffers (VK_EXT_descriptor_buffer): bytes that an application copies and may
// damage. Whatever they are, reading them gives an object that exists, memory that exists, or a null descriptor.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/objects/descriptors/descriptor.hpp"
#include "vulkan/objects/descriptors/descriptor_set_layout.hpp"

namespace heddle::vulkan {

/// Whether descriptor buffers have descriptors of a type.
[[nodiscard]] constexpr bool is_stored(VkDescriptorType type) {
  return type >= VK_DESCRIPTOR_TYPE_SAMPLER && type <= VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT &&
         type != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC && type != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}
/// Bytes of a descriptor that may have these types, a bit each.
[[nodiscard]] constexpr std::uint32_t stored_bytes(std::uint32_t types) {
  constexpr std::uint32_t kSampler = 1u << VK_DESCRIPTOR_TYPE_SAMPLER;
  return types == 0 ? 0 : (types & ~kSampler) == 0 ? kStoredSamplerBytes : kStoredDescriptorBytes;
}

/// Reads a descriptor of `binding` from its bytes; `immutable`: the layout's sampler, or null. Null descriptors are
/// empty ones. The caller holds Device::descriptors.
void read_descriptor(const Device& device, std::span<const std::uint8_t> bytes, const SetLayout::Binding& binding,
                     const machine::SamplerResource* immutable, Descriptor& to);

}  // namespace heddle::vulkan
