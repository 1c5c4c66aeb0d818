// SPDX-License-Identifier: MIT
#pragma once
// Runs operations over arrays on Heddle's machine, and compares with what C++ computes.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "shader.hpp"
#include "support/operations.hpp"

namespace heddle::test {

/// Bits of the components, element after element.
using Bits = std::vector<std::uint64_t>;

/// Values for a component type: the special ones first, then random ones.
[[nodiscard]] Bits values_of(const std::string& scalar, unsigned position, std::size_t count);

/// Results of each operation over `count` elements; inputs by (type, position). Fails the test when something does not
/// compile or run. `engine`: also "first" and "second", the fast one's tiers; `modes`: as shader_of has them.
[[nodiscard]] std::vector<Bits> run_operations(std::span<const Operation> operations,
                                               const std::map<std::pair<std::string, unsigned>, Bits>& inputs,
                                               std::size_t count, const spirv::CompileOptions& options,
                                               const std::string& engine = "reference",
                                               std::span<const std::string> modes = {});
/// What a buffer holds, and what was found in one.
[[nodiscard]] std::vector<std::uint8_t> buffer_bytes(const Bits& values, const OperationBuffer& b);
void read_results(const OperationBuffer& b, std::span<const std::uint8_t> bytes, std::size_t count,
                  std::vector<Bits>& results);
/// values_of for each input.
[[nodiscard]] std::map<std::pair<std::string, unsigned>, Bits> inputs_of(std::span<const Operation> operations,
                                                                         std::size_t count);

[[nodiscard]] inline std::uint64_t cut(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
[[nodiscard]] inline std::int64_t signed_of(std::uint64_t value, unsigned bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}
[[nodiscard]] inline float float_of(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
[[nodiscard]] inline std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
/// Value of the bits of an f16, f32, f64.
[[nodiscard]] double real_of(std::uint64_t bits, const std::string& scalar);
/// Distance in units of the last place of the type, of numbers at least as large as its least normal one; NaN equals
/// NaN.
[[nodiscard]] double ulps(double got, double want, const std::string& scalar);

}  // namespace heddle::test
