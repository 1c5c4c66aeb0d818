// SPDX-License-Identifier: MIT
#pragma once
// The products of cooperative matrices that the compiler makes, and the driver offers (SPV-55).

#include <cstdint>
#include <span>
#include <string>

namespace heddle::spirv {

enum class MatrixComponent : std::uint8_t { F16, F32, S8, U8, S32, U32 };

[[nodiscard]] constexpr bool is_float(MatrixComponent c) {
  return c == MatrixComponent::F16 || c == MatrixComponent::F32;
}
[[nodiscard]] constexpr bool is_signed(MatrixComponent c) {
  return c == MatrixComponent::S8 || c == MatrixComponent::S32;
}
[[nodiscard]] constexpr unsigned matrix_component_bits(MatrixComponent c) {
  return c == MatrixComponent::F16 ? 16 : c == MatrixComponent::S8 || c == MatrixComponent::U8 ? 8 : 32;
}

/// A (m x k) times B (k x n), added to C (m x n); the result has the components of C. The scope is the subgroup.
struct MatrixProduct {
  std::uint32_t m = 0, n = 0, k = 0;
  MatrixComponent a{}, b{}, c{};
  bool saturates = false;  ///< the sum of C and the product
};

/// Those that programs ask for first come first.
[[nodiscard]] std::span<const MatrixProduct> matrix_products();

/// "16x16x16 S8 U8 S32, saturating".
[[nodiscard]] std::string matrix_product_text(const MatrixProduct& product);

}  // namespace heddle::spirv
