#pragma once
// Compiled kernels on disk: one file for each, in the user's cache folder. Several processes may read and write it at
// once; what is damaged, or of another version, is as if it were not there.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace heddle::engine::jit {

/// 128 bits that stand for everything a compiled kernel depends on.
class KeyMaker {
 public:
  void add(const void* data, std::size_t bytes);
  template <typename T>
  void value(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(&x, sizeof x);
  }
  void text(std::string_view s) {
    value(s.size());
    add(s.data(), s.size());
  }
  [[nodiscard]] std::string hex() const;

 private:
  std::uint64_t a_ = 0x9e3779b97f4a7c15u, b_ = 0xc2b2ae3d27d4eb4fu, length_ = 0;
};

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

class DiskCache {
 public:
  /// The folder: $HEDDLE_CACHE_DIR, or heddle/kernels in $XDG_CACHE_HOME or ~/.cache. No folder: nothing is kept.
  /// HEDDLE_CACHE_DIR set to nothing turns the cache off.
  explicit DiskCache(std::uint64_t most_bytes = std::uint64_t{256} << 20);
  DiskCache(std::string folder, std::uint64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  [[nodiscard]] std::optional<std::vector<std::uint8_t>> find(const std::string& key) const;
  /// A file under a name of its own is renamed, so that readers see all of it or nothing. Failures are silent: the next
  /// run compiles again. The oldest files go when the folder holds more than it may.
  void store(const std::string& key, const std::vector<std::uint8_t>& object) const;
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  void trim() const;
  std::string folder_;
  std::uint64_t most_bytes_;
};

/// Which build of the program this is.
[[nodiscard]] std::string build_name();
/// Model and features of the processor, as its identification instruction tells them.
[[nodiscard]] std::string processor_name();

}  // namespace heddle::engine::jit
