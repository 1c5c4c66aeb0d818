#pragma once
// Machine code that was made before: in memory here, on disk in base/disk_cache.hpp.

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace heddle::engine::jit {

class LoadedCode;

/// Code by key, kept as long as the cache; may be shared by several threads.
class MemoryCache {
 public:
  [[nodiscard]] std::shared_ptr<const LoadedCode> find(const std::string& key);
  void store(const std::string& key, const std::shared_ptr<const LoadedCode>& code);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const LoadedCode>> codes_;
};

/// Model and features of the processor, as its identification instruction tells them.
[[nodiscard]] std::string processor_name();

}  // namespace heddle::engine::jit
