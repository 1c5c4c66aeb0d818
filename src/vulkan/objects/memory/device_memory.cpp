#include "vulkan/objects/memory/device_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "image/surface.hpp"
#include "image/vulkan_formats.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/image.hpp"

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

VkResult bind_buffer(Buffer& buffer, const DeviceMemory* memory, std::uint64_t offset) {
  buffer.memory = memory != nullptr ? part_of(*memory, offset, buffer.size) : nullptr;
  return buffer.memory ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

std::uint64_t address_of(const image::Memory& memory) { return reinterpret_cast<std::uint64_t>(memory.data()); }

/// Gives its pages back to the system: descriptors that nobody uses any more may still keep the allocation alive.
void release_pages(const image::Memory& memory) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = (address_of(memory) + page - 1) / page * page;
  const std::uint64_t end = (address_of(memory) + memory.size()) / page * page;
  if (begin < end) (void)madvise(memory.data() + (begin - address_of(memory)), end - begin, MADV_DONTNEED);
}

VkMemoryRequirements requirements_of(std::uint64_t size) {
  return {(size + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment, kBufferAlignment, 1};
}

void set_dedicated(void* chain) {
  if (auto* dedicated =
          find_out_chain<VkMemoryDedicatedRequirements>(chain, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS)) {
    dedicated->prefersDedicatedAllocation = VK_FALSE;
    dedicated->requiresDedicatedAllocation = VK_FALSE;
  }
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* pAllocateInfo,
                                              const VkAllocationCallbacks*, VkDeviceMemory* pMemory) {
  return guarded([&]() -> VkResult {
    Device& from = *from_handle(device);
    auto memory = std::make_unique<DeviceMemory>();
    const auto size = static_cast<std::size_t>(pAllocateInfo->allocationSize);
    if (const auto* host = find_in_chain<VkImportMemoryHostPointerInfoEXT>(
            pAllocateInfo->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
        host != nullptr && host->handleType != 0) {
      if (host->handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT || host->pHostPointer == nullptr)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
      memory->bytes = std::make_shared<image::Memory>(std::shared_ptr<void>(),
                                                      std::span(static_cast<std::uint8_t*>(host->pHostPointer), size));
    } else {
      if (!from.take_memory(size)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      try {
        memory->bytes = std::make_shared<image::Memory>(size);
      } catch (const std::bad_alloc&) {
        from.give_back_memory(size);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      }
      memory->taken = size;
      if (from.sanitizer) from.sanitizer->written.add(*memory->bytes);
    }
    const auto* flags =
        find_in_chain<VkMemoryAllocateFlagsInfo>(pAllocateInfo->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    if (flags != nullptr && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) != 0)
      memory->addressed = from.addresses->add(
          {address_of(*memory->bytes), memory->bytes->size(), memory->bytes->data(), memory->bytes, "device memory"});
    *pMemory = to_handle(memory.release());
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks*) {
  if (memory == VK_NULL_HANDLE) return;
  Device& owner = *from_handle(device);
  const DeviceMemory& freed = *from_handle(memory);
  if (freed.addressed) (void)owner.addresses->remove(address_of(*freed.bytes));
  if (freed.taken != 0 && freed.bytes.use_count() > 1) release_pages(*freed.bytes);
  owner.give_back_memory(freed.taken);
  if (owner.sanitizer) owner.sanitizer->written.remove(freed.bytes->data());
  destroy(device, from_handle(memory));
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                         VkMemoryMapFlags, void** ppData) {
  const image::Memory& bytes = *from_handle(memory)->bytes;
  if (offset > bytes.size() || (size != VK_WHOLE_SIZE && size > bytes.size() - offset))
    return VK_ERROR_MEMORY_MAP_FAILED;
  *ppData = bytes.data() + offset;
  if (DeviceChecks* checks = from_handle(device)->sanitizer.get(); checks != nullptr)
    checks->written.map(std::span(bytes.data() + offset,
                                  static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes.size() - offset))));
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice, VkDeviceMemory) {}
// All memory is coherent.
VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL GetDeviceMemoryCommitment(VkDevice, VkDeviceMemory, VkDeviceSize* pCommittedMemoryInBytes) {
  *pCommittedMemoryInBytes = 0;  // no memory type is allocated lazily
}
VKAPI_ATTR uint64_t VKAPI_CALL GetDeviceMemoryOpaqueCaptureAddress(VkDevice,
                                                                   const VkDeviceMemoryOpaqueCaptureAddressInfo*) {
  return 0;  // bufferDeviceAddressCaptureReplay is not offered
}

VKAPI_ATTR VkResult VKAPI_CALL
GetMemoryHostPointerPropertiesEXT(VkDevice, VkExternalMemoryHandleTypeFlagBits handleType, const void*,
                                  VkMemoryHostPointerPropertiesEXT* pMemoryHostPointerProperties) {
  if (handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  pMemoryHostPointerProperties->memoryTypeBits = 1;
  return VK_SUCCESS;
}

// --- buffers ---

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice, const VkBufferCreateInfo* pCreateInfo,
                                            const VkAllocationCallbacks*, VkBuffer* pBuffer) {
  return guarded([&] {
    auto buffer = std::make_unique<Buffer>();
    if (pCreateInfo->flags != 0) return VK_ERROR_FEATURE_NOT_PRESENT;  // sparse, protected, capture
    buffer->size = pCreateInfo->size;
    buffer->usage = pCreateInfo->usage;
    *pBuffer = to_handle(buffer.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks*) {
  destroy(device, from_handle(buffer));
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice, VkBuffer buffer,
                                                       VkMemoryRequirements* pMemoryRequirements) {
  *pMemoryRequirements = requirements_of(from_handle(buffer)->size);
}
VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice, const VkBufferMemoryRequirementsInfo2* pInfo,
                                                        VkMemoryRequirements2* pMemoryRequirements) {
  pMemoryRequirements->memoryRequirements = requirements_of(from_handle(pInfo->buffer)->size);
  set_dedicated(pMemoryRequirements->pNext);
}
VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirements(VkDevice, const VkDeviceBufferMemoryRequirements* pInfo,
                                                             VkMemoryRequirements2* pMemoryRequirements) {
  pMemoryRequirements->memoryRequirements = requirements_of(pInfo->pCreateInfo->size);
  set_dedicated(pMemoryRequirements->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory(VkDevice, VkBuffer buffer, VkDeviceMemory memory,
                                                VkDeviceSize memoryOffset) {
  return guarded([&] { return bind_buffer(*from_handle(buffer), from_handle(memory), memoryOffset); });
}
VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice, uint32_t bindInfoCount,
                                                 const VkBindBufferMemoryInfo* pBindInfos) {
  return guarded([&] {
    VkResult result = VK_SUCCESS;
    for (const VkBindBufferMemoryInfo& info : std::span(pBindInfos, bindInfoCount))
      if (const VkResult one = bind_buffer(*from_handle(info.buffer), from_handle(info.memory), info.memoryOffset);
          one != VK_SUCCESS)
        result = one;
    return result;
  });
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL GetBufferDeviceAddress(VkDevice, const VkBufferDeviceAddressInfo* pInfo) {
  const Buffer& buffer = *from_handle(pInfo->buffer);
  return buffer.memory ? reinterpret_cast<VkDeviceAddress>(buffer.memory->data()) : 0;
}
VKAPI_ATTR uint64_t VKAPI_CALL GetBufferOpaqueCaptureAddress(VkDevice, const VkBufferDeviceAddressInfo*) {
  return 0;  // bufferDeviceAddressCaptureReplay is not offered
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice, const VkBufferViewCreateInfo* pCreateInfo,
                                                const VkAllocationCallbacks*, VkBufferView* pView) {
  return guarded([&]() -> VkResult {
    const Buffer& buffer = *from_handle(pCreateInfo->buffer);
    const image::VulkanFormat* format = image::find_vulkan_format(pCreateInfo->format);
    if (format == nullptr) return VK_ERROR_FORMAT_NOT_SUPPORTED;
    const std::span<std::uint8_t> range = buffer.range(pCreateInfo->offset, pCreateInfo->range);
    auto surface = std::make_shared<image::Surface>();
    surface->type = image::SurfaceType::Buffer;
    surface->format = format->planes[0].format;
    surface->entries = range.size() / surface->info().bytes_per_element();
    auto view = std::make_unique<BufferView>();
    if (surface->entries != 0) {
      if (!image::lay_out(*surface).ok()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      surface->memory = buffer.memory;
      surface->base = pCreateInfo->offset;
      view->surface = std::move(surface);
    }
    *pView = to_handle(view.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyBufferView(VkDevice device, VkBufferView bufferView, const VkAllocationCallbacks*) {
  destroy(device, from_handle(bufferView));
}

}  // namespace entry
}  // namespace heddle::vulkan
