// SPDX-License-Identifier: MIT
#pragma once
// Modules that lack words which every other driver does without.

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::spirv {

/// SPV-51: the module with the capabilities and extensions that what it says needs, and that it does not declare.
/// Empty: nothing is missing.
[[nodiscard]] std::vector<std::uint32_t> with_missing_words(std::span<const std::uint32_t> words);

}  // namespace heddle::spirv
