// SPDX-License-Identifier: MIT
#pragma once
// Memory for recorded commands: blocks that are filled from front to back and given back together.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace heddle::vulkan {

class Arena {
 public:
  /// `size` bytes at a multiple of `alignment` (at most that of std::max_align_t). Throws std::bad_alloc.
  void* take(std::size_t size, std::size_t alignment) {
    std::size_t at = (used_ + alignment - 1) / alignment * alignment;
    if (current_ == nullptr || at > capacity_ || size > capacity_ - at) {
      next_block(size);
      at = 0;
    }
    used_ = at + size;
    return current_ + at;
  }
  template <typename T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (take(sizeof(T), alignof(T))) T{};
  }
  /// A copy of `count` values; null when there are none.
  template <typename T>
  T* array(const T* from, std::uint64_t count) {
    if (from == nullptr || count == 0) return nullptr;
    auto* to = static_cast<T*>(take(sizeof(T) * count, alignof(T)));
    std::memcpy(static_cast<void*>(to), from, sizeof(T) * count);
    return to;
  }
  /// The same of values that lie `stride` bytes apart; the copies lie side by side.
  template <typename T>
  T* strided(const T* from, std::uint64_t count, std::uint64_t stride) {
    if (from == nullptr || count == 0) return nullptr;
    auto* to = static_cast<T*>(take(sizeof(T) * count, alignof(T)));
    for (std::uint64_t i = 0; i < count; ++i)
      std::memcpy(static_cast<void*>(to + i), reinterpret_cast<const std::byte*>(from) + i * stride, sizeof(T));
    return to;
  }
  const void* bytes(const void* from, std::uint64_t size) { return array(static_cast<const std::byte*>(from), size); }
  const char* text(const char* from) { return from == nullptr ? nullptr : array(from, std::strlen(from) + 1); }
  /// Everything is given back; blocks are kept for the next use unless `release`.
  void reset(bool release) {
    if (release) blocks_.clear();
    block_ = 0;
    current_ = nullptr;
    used_ = capacity_ = 0;
  }

 private:
  static constexpr std::size_t kBlock = 64 * 1024;
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size;
  };
  void next_block(std::size_t least) {
    while (block_ < blocks_.size() && blocks_[block_].size < least) ++block_;
    if (block_ == blocks_.size()) {
      const std::size_t size = least > kBlock ? least : kBlock;
      blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size});
    }
    current_ = blocks_[block_].memory.get();
    capacity_ = blocks_[block_].size;
    used_ = 0;
    ++block_;
  }
  std::vector<Block> blocks_;
  std::size_t block_ = 0;  ///< the next one to be filled
  std::byte* current_ = nullptr;
  std::size_t used_ = 0, capacity_ = 0;
};

}  // namespace heddle::vulkan
