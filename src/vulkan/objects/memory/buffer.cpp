// SPDX-License-Identifier: MIT
#include "vulkan/objects/memory/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/pages.hpp"
#include "image/surface.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/memory/device_memory.hpp"
#include "vulkan/objects/memory/requirements.hpp"

namespace heddle::vulkan {

std::span<std::uint8_t> Buffer::range(std::uint64_t offset, std::uint64_t count) const {
  const std::span<std::uint8_t> all = bytes();
  if (offset > all.size()) return {};
  if (count == VK_WHOLE_SIZE) return all.subspan(offset);
  return count <= all.size() - offset ? all.subspan(offset, count) : std::span<std::uint8_t>();
}

machine::SurfaceResource raw_surface(const std::shared_ptr<image::Memory>& memory, std::uint64_t offset,
                                     std::uint64_t size) {
  if (!memory || offset >= memory->size() || size == 0) return nullptr;
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = image::Format::RAW;
  surface->entries = std::min<std::uint64_t>(size, memory->size() - offset);
  surface->bytes = surface->entries;
  surface->base = offset;
  surface->memory = memory;
  return surface;
}

namespace {

/// Part of an allocation, which it keeps alive.
std::shared_ptr<image::Memory> part_of(const DeviceMemory& memory, std::uint64_t offset, std::uint64_t size) {
  if (offset > memory.bytes->size() || size > memory.bytes->size() - offset) return nullptr;
  return std::make_shared<image::Memory>(memory.bytes, std::span<std::uint8_t>(*memory.bytes).subspan(offset, size));
}

constexpr VkBufferCreateFlags kSparseFlags =
    VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT | VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;

constexpr VkBufferCreateFlags kReplayFlags =
    VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT | VK_BUFFER_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT;

/// The address that a buffer had in another run; 0: none.
std::uint64_t earlier_address(const VkBufferCreateInfo& info) {
  const auto* earlier = find_in_chain<VkBufferOpaqueCaptureAddressCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO);
  if (earlier != nullptr && earlier->opaqueCaptureAddress != 0) return earlier->opaqueCaptureAddress;
  const auto* data = find_in_chain<VkOpaqueCaptureDescriptorDataCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_OPAQUE_CAPTURE_DESCRIPTOR_DATA_CREATE_INFO_EXT);
  std::uint64_t address = 0;
  if (data != nullptr && (info.flags & VK_BUFFER_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT) != 0)
    std::memcpy(&address, data->opaqueCaptureDescriptorData, sizeof address);
  return address;
}

VkMemoryRequirements requirements_of_buffer(std::uint64_t size, VkBufferCreateFlags flags) {
  return requirements_of(size, (flags & kSparseFlags) != 0 ? kSparsePage : kBufferAlignment);
}
VkMemoryRequirements requirements_of_buffer(const Buffer& buffer) {
  return requirements_of_buffer(buffer.size, buffer.sparse ? kSparseFlags : 0);
}

std::uint64_t address_of(const Buffer& buffer) { return reinterpret_cast<std::uint64_t>(buffer.memory->data()); }

VkResult bind_buffer(Buffer& buffer, const DeviceMemory* memory, std::uint64_t offset) {
  buffer.memory = memory != nullptr ? part_of(*memory, offset, buffer.size) : nullptr;
  return buffer.memory ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice device, const VkBufferCreateInfo* pCreateInfo,
                                            const VkAllocationCallbacks*, VkBuffer* pBuffer) {
  return guarded([&] {
    auto buffer = std::make_unique<Buffer>();
    if ((pCreateInfo->flags & ~(kSparseFlags | kReplayFlags)) != 0) return VK_ERROR_FEATURE_NOT_PRESENT;  // protected
    buffer->size = pCreateInfo->size;
    buffer->replayable = (pCreateInfo->flags & kReplayFlags) != 0;
    if ((pCreateInfo->flags & kSparseFlags) != 0) {
      if (buffer->size > kMaxBufferBytes) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      const SparsePages::Place place{buffer->replayable, earlier_address(*pCreateInfo)};
      try {
        buffer->sparse = std::make_unique<SparsePages>(buffer->size, from_handle(device)->sparse, place);
      } catch (const std::bad_alloc&) {
        return place.address != 0 ? VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
      }
      buffer->memory = buffer->sparse->memory();
    }
    const auto* usage = find_in_chain<VkBufferUsageFlags2CreateInfo>(
        pCreateInfo->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO);
    buffer->usage = usage != nullptr ? usage->usage : pCreateInfo->usage;
    // Others have the addresses of the memory that they are bound to.
    if (buffer->sparse && (buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0)
      buffer->addressed = from_handle(device)->add_addresses(
          {address_of(*buffer), buffer->size, buffer->memory->data(), buffer->memory, "sparse buffer"});
    *pBuffer = to_handle(buffer.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks*) {
  if (buffer != VK_NULL_HANDLE && from_handle(buffer)->addressed)
    from_handle(device)->remove_addresses(address_of(*from_handle(buffer)));
  if (buffer != VK_NULL_HANDLE && from_handle(buffer)->sparse && from_handle(buffer)->replayable)
    base::give_up_bytes_at(from_handle(buffer)->memory->data());
  destroy(device, from_handle(buffer));
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice, VkBuffer buffer,
                                                       VkMemoryRequirements* pMemoryRequirements) {
  *pMemoryRequirements = requirements_of_buffer(*from_handle(buffer));
}
VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice, const VkBufferMemoryRequirementsInfo2* pInfo,
                                                        VkMemoryRequirements2* pMemoryRequirements) {
  pMemoryRequirements->memoryRequirements = requirements_of_buffer(*from_handle(pInfo->buffer));
  set_dedicated(pMemoryRequirements->pNext);
}
VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirements(VkDevice, const VkDeviceBufferMemoryRequirements* pInfo,
                                                             VkMemoryRequirements2* pMemoryRequirements) {
  pMemoryRequirements->memoryRequirements = requirements_of_buffer(pInfo->pCreateInfo->size, pInfo->pCreateInfo->flags);
  set_dedicated(pMemoryRequirements->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                VkDeviceSize memoryOffset) {
  const auto visits = from_handle(device)->keep_from_visits();
  return guarded([&] { return bind_buffer(*from_handle(buffer), from_handle(memory), memoryOffset); });
}
VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice device, uint32_t bindInfoCount,
                                                 const VkBindBufferMemoryInfo* pBindInfos) {
  const auto visits = from_handle(device)->keep_from_visits();
  return guarded([&] {
    VkResult result = VK_SUCCESS;
    for (const VkBindBufferMemoryInfo& info : std::span(pBindInfos, bindInfoCount))
      if (const VkResult one = bind_buffer(*from_handle(info.buffer), from_handle(info.memory), info.memoryOffset);
          tell_status(info.pNext, one) != VK_SUCCESS)
        result = one;
    return result;
  });
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL GetBufferDeviceAddress(VkDevice, const VkBufferDeviceAddressInfo* pInfo) {
  const Buffer& buffer = *from_handle(pInfo->buffer);
  return buffer.memory ? reinterpret_cast<VkDeviceAddress>(buffer.memory->data()) : 0;
}
/// Of a buffer in replayable memory, whose address decides, it is the same.
VKAPI_ATTR uint64_t VKAPI_CALL GetBufferOpaqueCaptureAddress(VkDevice device, const VkBufferDeviceAddressInfo* pInfo) {
  return from_handle(pInfo->buffer)->replayable ? GetBufferDeviceAddress(device, pInfo) : 0;
}

}  // namespace entry
}  // namespace heddle::vulkan
