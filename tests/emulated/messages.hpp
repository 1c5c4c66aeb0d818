// SPDX-License-Identifier: MIT
#pragma once
// What a program under an emulator and the compiler on the machine at hand say to each other, over a socket: a letter,
// a length, so many bytes. Both have words of 64 bits, least significant byte first.

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle::emulated {

enum class Kind : char {
  Compile = 'C',  ///< the program asks for an object
  Find = 'F',     ///< the compiler asks KeptFunctions; the program answers Found or Unknown
  Found = 'f',
  Unknown = 'u',
  Keep = 'K',    ///< the compiler gives KeptFunctions what it made
  Object = 'O',  ///< the compiler's answer
};

using Bytes = std::vector<std::uint8_t>;

class Writer {
 public:
  void number(std::uint64_t value) { append(&value, sizeof value); }
  void bytes(const void* data, std::size_t size) {
    number(size);
    append(data, size);
  }
  void text(std::string_view text) { bytes(text.data(), text.size()); }
  template <typename Range>
  void range(const Range& values) {
    bytes(values.data(), values.size() * sizeof values[0]);
  }
  [[nodiscard]] const Bytes& all() const { return all_; }

 private:
  void append(const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::uint8_t*>(data);
    all_.insert(all_.end(), begin, begin + size);
  }
  Bytes all_;
};

/// Reads what a Writer of the same build wrote; where that ends too early, zeros and nothing.
class Reader {
 public:
  explicit Reader(const Bytes& all) : at_(all.data()), end_(all.data() + all.size()) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    take(&value, sizeof value);
    return value;
  }
  template <typename Value>
  std::vector<Value> range() {
    static_assert(std::is_trivially_copyable_v<Value>);
    const std::uint64_t size = number();
    std::vector<Value> values(size <= left() ? size / sizeof(Value) : 0);
    take(values.data(), values.size() * sizeof(Value));
    return values;
  }
  std::string text() {
    const std::vector<char> letters = range<char>();
    return {letters.begin(), letters.end()};
  }

 private:
  [[nodiscard]] std::uint64_t left() const { return static_cast<std::uint64_t>(end_ - at_); }
  void take(void* to, std::size_t size) {
    if (size == 0 || size > left()) return;
    std::memcpy(to, at_, size);
    at_ += size;
  }
  const std::uint8_t *at_, *end_;
};

inline bool transfer(int file, void* data, std::size_t size, bool out) {
  auto* at = static_cast<std::uint8_t*>(data);
  while (size != 0) {
    const ssize_t moved = out ? ::write(file, at, size) : ::read(file, at, size);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    at += moved;
    size -= static_cast<std::size_t>(moved);
  }
  return true;
}

/// False: the other side is gone.
inline bool send(int file, Kind kind, const Bytes& bytes) {
  Bytes message(9 + bytes.size());
  const std::uint64_t size = bytes.size();
  message[0] = static_cast<std::uint8_t>(kind);
  std::memcpy(&message[1], &size, sizeof size);
  if (!bytes.empty()) std::memcpy(&message[9], bytes.data(), bytes.size());
  return transfer(file, message.data(), message.size(), true);
}
inline bool receive(int file, Kind& kind, Bytes& bytes) {
  char letter = 0;
  std::uint64_t size = 0;
  if (!transfer(file, &letter, 1, false) || !transfer(file, &size, sizeof size, false)) return false;
  kind = static_cast<Kind>(letter);
  bytes.resize(size);
  return transfer(file, bytes.data(), size, false);
}

}  // namespace heddle::emulated
