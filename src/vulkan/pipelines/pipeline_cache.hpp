// SPDX-License-Identifier: MIT
#pragma once
// Pipeline caches: what was made of shaders, by what it was made of.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/locks/brief_mutex.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Pipeline;
struct LoadedStage;

/// What was made of a shader. Never changed: pipelines share it.
struct CachedStage {
  std::shared_ptr<const std::string> text;    ///< vISA
  std::shared_ptr<const LoadedStage> loaded;  ///< the text's program; null before a pipeline needed it
  std::shared_ptr<const Pipeline> pipeline;   ///< compute stages: bound to nothing
};

/// Shaders by the words and options that they were compiled from.
class PipelineCache {
 public:
  [[nodiscard]] std::optional<CachedStage> find(const std::string& key);
  /// Adds what is not there yet.
  void store(const std::string& key, const CachedStage& stage);
  /// What vkGetPipelineCacheData gives.
  [[nodiscard]] std::vector<std::uint8_t> data();
  /// Takes what such data has; damaged data, and data of another build, are left alone.
  void take(std::span<const std::uint8_t> data);
  void merge(PipelineCache& other);

 private:
  using Entries = std::unordered_map<std::string, CachedStage>;
  /// Threads that make different pipelines seldom meet in one.
  struct alignas(64) Shelf {
    base::BriefMutex mutex;
    Entries entries;
  };
  [[nodiscard]] Shelf& shelf_of(const std::string& key);
  std::array<Shelf, 16> shelves_;
};

HEDDLE_HANDLE(PipelineCache, VkPipelineCache)

}  // namespace heddle::vulkan
