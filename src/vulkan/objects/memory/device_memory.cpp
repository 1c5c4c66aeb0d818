// SPDX-License-Identifier: MIT
#include "vulkan/objects/memory/device_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <vector>

#include "base/pages.hpp"
#include "base/pages/page_files.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/settings.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {

namespace {

std::uint64_t address_of(const image::Memory& memory) { return reinterpret_cast<std::uint64_t>(memory.data()); }

/// Gives its pages back to the system: descriptors that nobody uses any more may still keep the allocation alive.
void release_pages(const image::Memory& memory, bool shareable) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = (address_of(memory) + page - 1) / page * page;
  const std::uint64_t end = (address_of(memory) + memory.size()) / page * page;
  if (begin >= end) return;
  std::uint8_t* const at = memory.data() + (begin - address_of(memory));
  if (shareable)
    base::clear_shareable_pages(at, end - begin);
  else
    (void)madvise(at, end - begin, MADV_DONTNEED);
}

/// Pages of applications whose memory was freed while buffers and images still lie in them.
class GonePages {
 public:
  static GonePages& of_process() {
    static GonePages pages;
    return pages;
  }
  void add(const std::shared_ptr<image::Memory>& memory) {
    const std::lock_guard guard(mutex_);
    std::erase_if(all_, [](const Gone& gone) { return gone.pages.expired(); });
    all_.push_back({memory, {}});
    any_ = true;
  }
  /// There is memory, maybe at the same addresses.
  void replace(const std::shared_ptr<image::Memory>& memory) {
    if (!any_) return;
    const std::lock_guard guard(mutex_);
    for (Gone& gone : all_)
      if (const auto pages = gone.pages.lock(); pages != nullptr && overlap(*pages, *memory)) {
        std::erase_if(gone.later, [](const auto& later) { return later.expired(); });
        gone.later.push_back(memory);
      }
  }
  bool have(const image::Memory& part) {
    if (!any_) return false;
    const std::lock_guard guard(mutex_);
    return std::ranges::any_of(all_, [&](const Gone& gone) {
      const auto pages = gone.pages.lock();
      return pages != nullptr && overlap(*pages, part) && std::ranges::none_of(gone.later, [&](const auto& weak) {
               const auto later = weak.lock();
               return later != nullptr && has(*later, part);
             });
    });
  }

 private:
  struct Gone {
    std::weak_ptr<image::Memory> pages;               ///< null when nothing lies there any more
    std::vector<std::weak_ptr<image::Memory>> later;  ///< memory at some of their addresses
  };
  static bool overlap(const image::Memory& a, const image::Memory& b) {
    return address_of(a) < address_of(b) + b.size() && address_of(b) < address_of(a) + a.size();
  }
  static bool has(const image::Memory& whole, const image::Memory& part) {
    return address_of(part) >= address_of(whole) && address_of(part) + part.size() <= address_of(whole) + whole.size();
  }

  std::atomic<bool> any_ = false;  ///< there ever were some
  std::mutex mutex_;
  std::vector<Gone> all_;
};

constexpr VkExternalMemoryHandleTypeFlags kFiles =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;

/// Maps the file, which has the bytes.
bool map_into(int fd, std::size_t size, DeviceMemory& memory) {
  std::shared_ptr<void> mapped = map_file(fd, size);
  if (!mapped) return false;
  auto* const bytes = static_cast<std::uint8_t*>(mapped.get());
  memory.bytes = std::make_shared<image::Memory>(std::move(mapped), std::span(bytes, size));
  return true;
}

/// Memory of another allocation, maybe of another process. The file belongs to `memory` when it succeeds.
VkResult import_file(const VkImportMemoryFdInfoKHR& info, std::size_t size, DeviceMemory& memory) {
  if ((info.handleType & kFiles) == 0 || info.fd < 0 || file_size(info.fd) < size || size == 0 ||
      !map_into(info.fd, size, memory))
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  memory.file = FileHandle(info.fd);
  memory.dma_buf = info.handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
  return VK_SUCCESS;
}

/// Memory in a file of its own.
bool make_shared_memory(VkExternalMemoryHandleTypeFlags types, std::size_t size, DeviceMemory& memory) {
  memory.file = make_file(size);
  if (!memory.file || size == 0 || !map_into(memory.file.get(), size, memory)) return false;
  if ((types & VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT) != 0 && dma_bufs_are_made()) {
    memory.file = make_dma_buf(memory.file, size);  // over the same pages
    memory.dma_buf = true;
  }
  return static_cast<bool>(memory.file);
}

/// Memory of the driver. Throws std::bad_alloc.
std::shared_ptr<image::Memory> make_memory(std::size_t size, bool shareable) {
  if (!shareable || size == 0) return std::make_shared<image::Memory>(size);
  std::shared_ptr<std::uint8_t> pages = base::shareable_zero_bytes(size);
  if (pages == nullptr) throw std::bad_alloc();
  const std::span bytes(pages.get(), size);
  return std::make_shared<image::Memory>(std::move(pages), bytes);
}

/// Memory of the driver at an address that another run had, or can have. Null where something else is there.
std::shared_ptr<image::Memory> make_memory_at(std::uint64_t address, std::size_t size, bool shareable) {
  std::shared_ptr<std::uint8_t> pages =
      base::zero_bytes_at(reinterpret_cast<std::uint8_t*>(address), size, {shareable, false});  // NOLINT: an address
  if (pages == nullptr) return nullptr;
  const std::span bytes(pages.get(), size);
  return std::make_shared<image::Memory>(std::move(pages), bytes);
}

/// Memory of the driver, where its addresses may be of use (or come from) another run: those flags and that address.
/// Throws std::bad_alloc.
VkResult make_own_memory(const VkMemoryAllocateInfo& info, bool shareable, DeviceMemory& memory) {
  const auto* flags =
      find_in_chain<VkMemoryAllocateFlagsInfo>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  const auto* earlier = find_in_chain<VkMemoryOpaqueCaptureAddressAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
  const std::uint64_t address = earlier != nullptr ? earlier->opaqueCaptureAddress : 0;
  const auto size = static_cast<std::size_t>(info.allocationSize);
  memory.shareable = shareable;
  memory.replayable = flags != nullptr && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) != 0;
  memory.bytes =
      memory.replayable || address != 0 ? make_memory_at(address, size, shareable) : make_memory(size, shareable);
  if (memory.bytes != nullptr) return VK_SUCCESS;
  return address != 0 ? VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

}  // namespace

bool is_gone(const image::Memory& part) { return GonePages::of_process().have(part); }

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
    } else if (const auto* file = find_in_chain<VkImportMemoryFdInfoKHR>(pAllocateInfo->pNext,
                                                                         VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
               file != nullptr && file->handleType != 0) {
      if (const VkResult result = import_file(*file, size, *memory); result != VK_SUCCESS) return result;
    } else if (const auto* exported = find_in_chain<VkExportMemoryAllocateInfo>(
                   pAllocateInfo->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
               exported != nullptr && (exported->handleTypes & kFiles) != 0) {
      if (!from.take_memory(size)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      memory->taken = size;
      if (!make_shared_memory(exported->handleTypes, size, *memory)) {
        from.give_back_memory(size);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      }
    } else {
      if (!from.take_memory(size)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
      try {
        result = make_own_memory(*pAllocateInfo, from.shares_pages, *memory);
      } catch (const std::bad_alloc&) {  // said below
      }
      if (result != VK_SUCCESS) {
        from.give_back_memory(size);
        return result;
      }
      memory->taken = size;
      if (from.observer) from.observer->memory_allocated(*memory->bytes);
    }
    GonePages::of_process().replace(memory->bytes);
    const auto* flags =
        find_in_chain<VkMemoryAllocateFlagsInfo>(pAllocateInfo->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    if (flags != nullptr && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) != 0)
      memory->addressed = from.add_addresses(
          {address_of(*memory->bytes), memory->bytes->size(), memory->bytes->data(), memory->bytes, "device memory"});
    *pMemory = to_handle(memory.release());
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks*) {
  if (memory == VK_NULL_HANDLE) return;
  Device& owner = *from_handle(device);
  const DeviceMemory& freed = *from_handle(memory);
  if (freed.addressed) owner.remove_addresses(address_of(*freed.bytes));
  if (owner.observer) owner.observer->memory_freed(*freed.bytes);  // before its bytes become others
  if (freed.taken != 0 && !freed.file && freed.bytes.use_count() > 1) release_pages(*freed.bytes, freed.shareable);
  // The application's own pages go; buffers and images over them may stay.
  if (freed.taken == 0 && !freed.file) {
    GonePages::of_process().add(freed.bytes);
    owner.forget_names([&](const NamedObject& object) { return lies_in(object, *freed.bytes); });
  }
  if (freed.replayable) base::give_up_bytes_at(freed.bytes->data());  // shaders and sets may keep what they last saw
  owner.give_back_memory(freed.taken);
  destroy(device, from_handle(memory));
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                         VkMemoryMapFlags, void** ppData) {
  const image::Memory& bytes = *from_handle(memory)->bytes;
  if (offset > bytes.size() || (size != VK_WHOLE_SIZE && size > bytes.size() - offset))
    return VK_ERROR_MEMORY_MAP_FAILED;
  *ppData = bytes.data() + offset;
  if (DeviceObserver* observer = from_handle(device)->observer.get(); observer != nullptr)
    observer->memory_mapped(std::span(bytes.data() + offset,
                                      static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes.size() - offset))));
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice, VkDeviceMemory) {}
VKAPI_ATTR VkResult VKAPI_CALL MapMemory2(VkDevice device, const VkMemoryMapInfo* pMemoryMapInfo, void** ppData) {
  return MapMemory(device, pMemoryMapInfo->memory, pMemoryMapInfo->offset, pMemoryMapInfo->size, pMemoryMapInfo->flags,
                   ppData);
}
VKAPI_ATTR VkResult VKAPI_CALL UnmapMemory2(VkDevice, const VkMemoryUnmapInfo*) { return VK_SUCCESS; }
// All memory is the host's, which keeps in it what is used.
VKAPI_ATTR void VKAPI_CALL SetDeviceMemoryPriorityEXT(VkDevice, VkDeviceMemory, float) {}
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
VKAPI_ATTR uint64_t VKAPI_CALL
GetDeviceMemoryOpaqueCaptureAddress(VkDevice, const VkDeviceMemoryOpaqueCaptureAddressInfo* pInfo) {
  const DeviceMemory& memory = *from_handle(pInfo->memory);
  return memory.replayable ? address_of(*memory.bytes) : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFdKHR(VkDevice, const VkMemoryGetFdInfoKHR* pGetFdInfo, int* pFd) {
  const DeviceMemory& memory = *from_handle(pGetFdInfo->memory);
  const bool dma_buf = pGetFdInfo->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
  *pFd = memory.file && (!dma_buf || memory.dma_buf) ? memory.file.duplicate() : -1;
  return *pFd >= 0 ? VK_SUCCESS : VK_ERROR_TOO_MANY_OBJECTS;
}
VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFdPropertiesKHR(VkDevice, VkExternalMemoryHandleTypeFlagBits handleType, int fd,
                                                        VkMemoryFdPropertiesKHR* pMemoryFdProperties) {
  const bool shared = handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT && file_size(fd) != 0;
  pMemoryFdProperties->memoryTypeBits = shared ? 1 : 0;
  return shared ? VK_SUCCESS : VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

VKAPI_ATTR VkResult VKAPI_CALL
GetMemoryHostPointerPropertiesEXT(VkDevice, VkExternalMemoryHandleTypeFlagBits handleType, const void*,
                                  VkMemoryHostPointerPropertiesEXT* pMemoryHostPointerProperties) {
  if (handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  pMemoryHostPointerProperties->memoryTypeBits = 1;
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
