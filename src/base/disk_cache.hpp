// SPDX-License-Identifier: MIT
#pragma once
// What is expensive to make, on disk: one file for each thing, in the user's cache folder. Several processes may read
// and write it at once; what is damaged, or of another version, is as if it were not there.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle::base {

/// 128 bits that stand for everything that a kept thing depends on.
class KeyMaker {
 public:
  void add(const void* data, std::size_t bytes);
  template <typename T>
  void value(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    if constexpr (sizeof x <= 8) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &x, sizeof x);
      length_ += sizeof x;
      word(bits ^ std::uint64_t{sizeof x} << 59);
    } else {
      add(&x, sizeof x);
    }
  }
  /// Several values at once.
  template <typename... T>
  void values(const T&... x) {
    static_assert((std::is_trivially_copyable_v<T> && ...));
    std::uint64_t words[((sizeof x + ...) + 7) / 8] = {};
    auto* at = reinterpret_cast<std::uint8_t*>(words);
    ((std::memcpy(at, &x, sizeof x), at += sizeof x), ...);
    length_ += (sizeof x + ...);
    for (const std::uint64_t w : words) word(w);
  }
  void text(std::string_view s) {
    value(s.size());
    add(s.data(), s.size());
  }
  [[nodiscard]] std::string hex() const;
  struct Sum {
    std::uint64_t low = 0, high = 0;
    friend bool operator==(const Sum&, const Sum&) = default;
  };
  [[nodiscard]] Sum sum() const;

 private:
  static std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 29;
    x *= 0xa0761d6478bd642fu;
    return x ^ x >> 32;
  }
  void word(std::uint64_t w) {
    a_ = mixed(a_ ^ w) + b_;
    b_ = mixed(b_ + w * 0x9fb21c651e98df25u) ^ (a_ << 23 | a_ >> 41);
  }
  std::uint64_t a_ = 0x9e3779b97f4a7c15u, b_ = 0xc2b2ae3d27d4eb4fu, length_ = 0;
};

class DiskCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
  /// The folder: $HEDDLE_CACHE_DIR, or heddle/kernels in $XDG_CACHE_HOME or ~/.cache. No folder: nothing is kept,
  /// as where the home isn't there, which is never made.
  /// HEDDLE_CACHE_DIR set to nothing turns the cache off.
  /// `kind`, the ending of the files' names: one of kKinds. All kinds share the folder and its limit.
  explicit DiskCache(std::string_view kind);
  DiskCache(std::string_view kind, std::string folder, std::uint64_t most_bytes);

  [[nodiscard]] std::optional<std::vector<std::uint8_t>> find(const std::string& key) const;
  /// A file under a name of its own is renamed, so that readers see all of it or nothing. Failures are silent: the next
  /// run makes the thing again. The oldest files go when the folder holds more than it may; it may hold more for a
  /// minute where many processes store much.
  void store(const std::string& key, const std::vector<std::uint8_t>& object) const;
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] bool enabled() const { return !folder_.empty(); }
  static constexpr std::string_view kKinds[] = {"kernel", "shader", "image"};

 private:
  [[nodiscard]] std::string path_of(const std::string& key) const;
  [[nodiscard]] bool has_room(std::uint64_t more) const;
  void trim() const;
  std::string kind_, folder_;
  std::uint64_t most_bytes_;
};

/// Which build this is, by size and time of the file that holds this code: the program, or the library that it loaded
/// (a driver is not as old as the program that uses it).
[[nodiscard]] std::string build_name();

}  // namespace heddle::base
