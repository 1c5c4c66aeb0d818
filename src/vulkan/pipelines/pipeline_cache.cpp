// SPDX-License-Identifier: MIT
// The data of a cache: the header that Vulkan asks for, then entries of key, length, checksum and text.
#include "vulkan/pipelines/pipeline_cache.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <span>

#include "base/disk_cache.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/identity.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/pipelines/pipeline.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::size_t kKeyBytes = 32;

struct EntryHeader {
  char key[kKeyBytes];
  std::uint64_t bytes;
  std::uint64_t sum;
};

std::uint64_t sum_of(std::string_view key, std::string_view text) {
  base::KeyMaker maker;
  maker.text(key);
  maker.text(text);
  return maker.sum().low;
}

VkPipelineCacheHeaderVersionOne header() {
  VkPipelineCacheHeaderVersionOne h{};
  h.headerSize = sizeof h;
  h.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  h.vendorID = kVendor;
  h.deviceID = kDevice;
  const Uuid uuid = build_uuid();
  std::ranges::copy(uuid, h.pipelineCacheUUID);
  return h;
}

}  // namespace

PipelineCache::Shelf& PipelineCache::shelf_of(const std::string& key) {
  return shelves_[std::hash<std::string>()(key) / shelves_.size() % shelves_.size()];
}

std::optional<CachedStage> PipelineCache::find(const std::string& key) {
  Shelf& shelf = shelf_of(key);
  const std::lock_guard guard(shelf.mutex);
  const auto found = shelf.entries.find(key);
  return found == shelf.entries.end() ? std::nullopt : std::optional(found->second);
}

void PipelineCache::store(const std::string& key, const CachedStage& stage) {
  Shelf& shelf = shelf_of(key);
  const std::lock_guard guard(shelf.mutex);
  CachedStage& entry = shelf.entries[key];
  if (!entry.text) entry.text = stage.text;
  if (!entry.loaded) entry.loaded = stage.loaded;
  if (!entry.pipeline) entry.pipeline = stage.pipeline;
}

std::vector<std::uint8_t> PipelineCache::data() {
  std::vector<std::uint8_t> bytes;
  const auto put = [&](const void* from, std::size_t count) {
    const auto* at = static_cast<const std::uint8_t*>(from);
    bytes.insert(bytes.end(), at, at + count);
  };
  const VkPipelineCacheHeaderVersionOne h = header();
  put(&h, sizeof h);
  const auto put_entry = [&](const std::string& key, const std::string& text) {
    EntryHeader e{};
    std::memcpy(e.key, key.data(), std::min(key.size(), kKeyBytes));
    e.bytes = text.size();
    e.sum = sum_of(key, text);
    put(&e, sizeof e);
    put(text.data(), text.size());
  };
  for (Shelf& shelf : shelves_) {
    const std::lock_guard guard(shelf.mutex);
    for (const auto& [key, stage] : shelf.entries) put_entry(key, *stage.text);
  }
  return bytes;
}

void PipelineCache::take(std::span<const std::uint8_t> data) {
  const VkPipelineCacheHeaderVersionOne own = header();
  if (data.size() < sizeof own || std::memcmp(data.data(), &own, sizeof own) != 0) return;
  data = data.subspan(sizeof own);
  while (data.size() >= sizeof(EntryHeader)) {
    EntryHeader e;
    std::memcpy(&e, data.data(), sizeof e);
    data = data.subspan(sizeof e);
    if (e.bytes > data.size()) return;
    const std::string key(e.key, kKeyBytes);
    std::string text(reinterpret_cast<const char*>(data.data()), e.bytes);
    data = data.subspan(e.bytes);
    if (e.sum == sum_of(key, text))
      store(key, {.text = std::make_shared<const std::string>(std::move(text)), .loaded = {}, .pipeline = {}});
  }
}

void PipelineCache::merge(PipelineCache& other) {
  for (std::size_t k = 0; k < shelves_.size(); ++k) {  // a key has the same place in both
    Entries theirs;
    {
      const std::lock_guard guard(other.shelves_[k].mutex);
      theirs = other.shelves_[k].entries;
    }
    const std::lock_guard guard(shelves_[k].mutex);
    shelves_[k].entries.merge(theirs);
  }
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineCache(VkDevice, const VkPipelineCacheCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks*, VkPipelineCache* pPipelineCache) {
  return guarded([&] {
    auto cache = std::make_unique<PipelineCache>();
    cache->take({static_cast<const std::uint8_t*>(pCreateInfo->pInitialData), pCreateInfo->initialDataSize});
    *pPipelineCache = to_handle(cache.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyPipelineCache(VkDevice device, VkPipelineCache pipelineCache,
                                                const VkAllocationCallbacks*) {
  destroy(device, from_handle(pipelineCache));
}
VKAPI_ATTR VkResult VKAPI_CALL GetPipelineCacheData(VkDevice, VkPipelineCache pipelineCache, size_t* pDataSize,
                                                    void* pData) {
  return guarded([&] {
    const std::vector<std::uint8_t> data = from_handle(pipelineCache)->data();
    if (pData == nullptr) {
      *pDataSize = data.size();
      return VK_SUCCESS;
    }
    // Without room for the header nothing is written; an entry that is cut off is ignored when it comes back.
    const std::size_t room = *pDataSize < sizeof(VkPipelineCacheHeaderVersionOne) ? 0 : *pDataSize;
    const std::size_t given = std::min(room, data.size());
    if (given != 0) std::memcpy(pData, data.data(), given);
    *pDataSize = given;
    return given < data.size() ? VK_INCOMPLETE : VK_SUCCESS;
  });
}
VKAPI_ATTR VkResult VKAPI_CALL MergePipelineCaches(VkDevice, VkPipelineCache dstCache, uint32_t srcCacheCount,
                                                   const VkPipelineCache* pSrcCaches) {
  return guarded([&] {
    for (const VkPipelineCache from : std::span(pSrcCaches, srcCacheCount))
      from_handle(dstCache)->merge(*from_handle(from));
    return VK_SUCCESS;
  });
}

}  // namespace entry
}  // namespace heddle::vulkan
