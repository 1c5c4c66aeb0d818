// SPDX-License-Identifier: MIT
#pragma once
// The bytes behind surfaces: memory of their own, or somebody else's.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace heddle::image {

/// Bytes that surfaces read and write. They are not zeroed before they are touched: an allocation's pages come from
/// the operating system, which does so when they are first used.
class Memory {
 public:
  /// `bytes` zeros. Throws std::bad_alloc where there are not so many.
  explicit Memory(std::size_t bytes);
  Memory(std::initializer_list<std::uint8_t> bytes) : Memory(std::vector<std::uint8_t>(bytes)) {}
  Memory(std::vector<std::uint8_t> bytes)  // NOLINT: a list of bytes is memory
      : Memory(std::make_shared<std::vector<std::uint8_t>>(std::move(bytes))) {}
  /// Of a vector, which keeps its size from here on.
  explicit Memory(std::shared_ptr<std::vector<std::uint8_t>> bytes) : bytes_(*bytes), owner_(std::move(bytes)) {}
  /// Any bytes, such as those of a mapped file or of a caller, valid as long as `owner` lives (null: as long as they
  /// are used).
  Memory(std::shared_ptr<void> owner, std::span<std::uint8_t> bytes) : bytes_(bytes), owner_(std::move(owner)) {}
  /// A copy has bytes of its own.
  Memory(const Memory& other) : Memory(std::vector<std::uint8_t>(other.begin(), other.end())) {}
  Memory& operator=(const Memory& other) { return *this = Memory(other); }
  Memory(Memory&&) noexcept = default;
  Memory& operator=(Memory&&) noexcept = default;
  ~Memory() = default;

  [[nodiscard]] std::uint8_t* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::uint8_t& operator[](std::size_t at) const { return bytes_[at]; }
  [[nodiscard]] std::span<std::uint8_t>::iterator begin() const { return bytes_.begin(); }
  [[nodiscard]] std::span<std::uint8_t>::iterator end() const { return bytes_.end(); }
  [[nodiscard]] operator std::span<std::uint8_t>() const { return bytes_; }  // NOLINT
  /// Other bytes of that number: the old ones, then zeros.
  void resize(std::size_t bytes);
  [[nodiscard]] std::vector<std::uint8_t> copy() const { return {begin(), end()}; }
  /// The same bytes, whoever owns them.
  friend bool operator==(const Memory& a, const Memory& b);

 private:
  std::span<std::uint8_t> bytes_;
  std::shared_ptr<void> owner_;
};

}  // namespace heddle::image
