// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <set>

#include "layer/rewriter/module.hpp"

namespace heddle::layer {

/// Functions that run in a stage without derivatives: there a query of the implicit level is one of level 0, which is
/// what compilers make of it (FP-21).
[[nodiscard]] std::set<std::uint32_t> functions_without_derivatives(const Module& module);

}  // namespace heddle::layer
