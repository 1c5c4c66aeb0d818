// SPDX-License-Identifier: MIT
// Rules: SPV-55.
#include "spirv/cooperative_matrix.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

namespace heddle::spirv {
namespace {

using enum MatrixComponent;

std::vector<MatrixProduct> make_products() {
  std::vector<MatrixProduct> list;
  for (const std::uint32_t side : {16u, 8u}) {
    list.push_back({side, side, side, F16, F16, F32});
    list.push_back({side, side, side, F16, F16, F16});
    list.push_back({side, side, side, F32, F32, F32});
  }
  for (const MatrixComponent c : {S32, U32})
    for (const bool saturates : {false, true})
      for (const MatrixComponent a : {S8, U8})
        for (const MatrixComponent b : {S8, U8}) list.push_back({16, 16, 16, a, b, c, saturates});
  return list;
}

std::string_view component_text(MatrixComponent c) {
  static constexpr std::array<std::string_view, 6> kWords = {"F16", "F32", "S8", "U8", "S32", "U32"};
  return kWords[static_cast<std::size_t>(c)];
}

}  // namespace

std::span<const MatrixProduct> matrix_products() {
  static const std::vector<MatrixProduct> kProducts = make_products();
  return kProducts;
}

std::string matrix_product_text(const MatrixProduct& p) {
  return fmt::format("{}x{}x{} {} {} {}{}", p.m, p.n, p.k, component_text(p.a), component_text(p.b),
                     component_text(p.c), p.saturates ? ", saturating" : "");
}

}  // namespace heddle::spirv
