// SPDX-License-Identifier: MIT
#pragma once
// The number that SPIRV-Tools gives a target environment.

#include <optional>
#include <string_view>

namespace heddle::spirv {
[[nodiscard]] std::optional<int> target_env(std::string_view name);
}  // namespace heddle::spirv
