// SPDX-License-Identifier: MIT
#include "base/bits/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace heddle::base {
namespace {

constexpr std::uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Words = std::array<std::uint32_t, 64>;

/// The words of a block, and those that follow from them.
Words schedule(const std::uint8_t* bytes) {
  Words w{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t k = 0; k < 4; ++k) w[i] = w[i] << 8 | bytes[4 * i + k];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    const std::uint32_t first = std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3;
    const std::uint32_t second = std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10;
    w[i] = w[i - 16] + first + w[i - 7] + second;
  }
  return w;
}

}  // namespace

void Sha256::block(const std::uint8_t* bytes) {
  const Words w = schedule(bytes);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice + kRounds[i] + w[i];
    const std::uint32_t two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  const std::array<std::uint32_t, 8> next{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += next[i];
}

void Sha256::add(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t filled = length_ % 64;
    if (filled == 0 && bytes.size() >= 64) {
      block(bytes.data());
      length_ += 64;
      bytes = bytes.subspan(64);
      continue;
    }
    const std::size_t count = std::min(64 - filled, bytes.size());
    std::memcpy(rest_.data() + filled, bytes.data(), count);
    length_ += count;
    bytes = bytes.subspan(count);
    if (length_ % 64 == 0) block(rest_.data());
  }
}

void Sha256::add(std::string_view text) {
  add(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::string Sha256::hex() const {
  Sha256 whole = *this;
  const std::uint64_t bits = length_ * 8;
  std::array<std::uint8_t, 72> end{0x80};
  const std::size_t zeros = (length_ % 64 < 56 ? 56 : 120) - length_ % 64;  // with the byte 80h
  whole.add(std::span(end).first(zeros));
  std::array<std::uint8_t, 8> count{};
  for (std::size_t i = 0; i < 8; ++i) count[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  whole.add(count);
  std::string text;
  for (const std::uint32_t word : whole.state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::span<const std::uint8_t> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256(std::string_view text) {
  return sha256(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

}  // namespace heddle::base
