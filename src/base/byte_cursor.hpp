// SPDX-License-Identifier: MIT
#pragma once
// Bounds-checked little-endian reading and writing of bytes.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle::base {

/// Reads a byte span from front to back. A read past the end returns 0, leaves the position at the end and sets
/// `failed()`; `failed_at()` is the offset of the first field that did not fit.
class ByteCursor {
 public:
  ByteCursor() = default;
  explicit ByteCursor(std::span<const std::uint8_t> bytes, std::size_t position = 0)
      : bytes_(bytes), position_(position) {
    if (position_ > bytes_.size()) fail();
  }

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::size_t remaining() const { return bytes_.size() - position_; }
  [[nodiscard]] bool at_end() const { return position_ == bytes_.size(); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t failed_at() const { return failed_at_; }

  template <typename T>
  T read() {
    static_assert(std::is_integral_v<T>);
    if (remaining() < sizeof(T)) {
      fail();
      return 0;
    }
    std::make_unsigned_t<T> value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<std::make_unsigned_t<T>>(
          value | static_cast<std::make_unsigned_t<T>>(static_cast<std::uint64_t>(bytes_[position_ + i]) << (8 * i)));
    position_ += sizeof(T);
    return static_cast<T>(value);
  }
  std::uint8_t u8() { return read<std::uint8_t>(); }
  std::uint16_t u16() { return read<std::uint16_t>(); }
  std::uint32_t u32() { return read<std::uint32_t>(); }
  std::uint64_t u64() { return read<std::uint64_t>(); }

  std::span<const std::uint8_t> take(std::size_t count) {
    if (remaining() < count) {
      fail();
      return {};
    }
    const auto result = bytes_.subspan(position_, count);
    position_ += count;
    return result;
  }
  void seek(std::size_t position) {
    if (position > bytes_.size())
      fail();
    else
      position_ = position;
  }

 private:
  void fail() {
    if (!failed_) failed_at_ = position_;
    failed_ = true;
    position_ = bytes_.size();
  }
  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
  std::size_t failed_at_ = 0;
  bool failed_ = false;
};

/// Appends little-endian integers and bytes.
class ByteWriter {
 public:
  template <typename T>
  void put(T value) {
    static_assert(std::is_integral_v<T>);
    std::uint8_t low_first[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i)
      low_first[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
    bytes_.insert(bytes_.end(), low_first, low_first + sizeof(T));
  }
  void u8(std::uint64_t v) { put(static_cast<std::uint8_t>(v)); }
  void u16(std::uint64_t v) { put(static_cast<std::uint16_t>(v)); }
  void u32(std::uint64_t v) { put(static_cast<std::uint32_t>(v)); }
  void u64(std::uint64_t v) { put(v); }
  void bytes(std::span<const std::uint8_t> data) { bytes_.insert(bytes_.end(), data.begin(), data.end()); }
  void bytes(std::string_view data) { bytes_.insert(bytes_.end(), data.begin(), data.end()); }
  /// Room for `count` more bytes.
  void reserve(std::size_t count) { bytes_.reserve(bytes_.size() + count); }
  template <typename T>
  void patch(std::size_t at, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_[at + i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::vector<std::uint8_t>& data() const { return bytes_; }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace heddle::base
