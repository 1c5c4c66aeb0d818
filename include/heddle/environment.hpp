// SPDX-License-Identifier: MIT
#pragma once
// The environment variables that the library reads: HEDDLE_VECTORS, HEDDLE_CACHE_DIR (docs/environment.md).

#include "heddle/result.hpp"

namespace heddle {

/// Warnings about variables that are set to what they do not take, and about names that look mistyped.
/// What is wrong is passed over; the library says so nowhere else. Ids: environment-value, environment-name.
[[nodiscard]] Diagnostics environment_problems();

}  // namespace heddle
