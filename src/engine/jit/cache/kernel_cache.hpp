// SPDX-License-Identifier: MIT
#pragma once
// Machine code that was made before: in memory here, on disk in base/disk_cache.hpp.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace heddle::engine::jit {

class TieredCode;

/// Of the code that kernels run. Both: the first tier at once, the second, made meanwhile, once enough has run.
enum class Tiers : std::uint8_t { Both, First, Second };

/// Code by key, kept as long as the cache; may be shared by several threads.
class MemoryCache {
 public:
  /// `most`: codes that it keeps; the next one drops them all.
  explicit MemoryCache(std::size_t most = 1024) : most_(most) {}
  /// What was made for a key; without code where nothing was.
  [[nodiscard]] std::shared_ptr<TieredCode> find_or_add(const std::string& key);

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<TieredCode>> codes_;
};

/// Model and features of the processor, as its identification instruction tells them.
[[nodiscard]] std::string processor_name();

}  // namespace heddle::engine::jit
