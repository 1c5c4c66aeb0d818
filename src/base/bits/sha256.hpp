// SPDX-License-Identifier: MIT
#pragma once
// SHA-256 (FIPS 180-4): hashes that people compare with other tools, such as sha256sum.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle::base {

class Sha256 {
 public:
  void add(std::span<const std::uint8_t> bytes);
  void add(std::string_view text);
  /// 64 hexadecimal digits of all that was added.
  [[nodiscard]] std::string hex() const;

 private:
  void block(const std::uint8_t* bytes);
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> rest_{};  ///< the first `length_ % 64` of them were added last
  std::uint64_t length_ = 0;
};

[[nodiscard]] std::string sha256(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string sha256(std::string_view text);

}  // namespace heddle::base
