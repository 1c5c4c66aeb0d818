// SPDX-License-Identifier: MIT
#pragma once
// SPV_KHR_untyped_pointers (SPV-54): modules with pointers that do not say what they point to, as modules whose
// pointers do.

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::spirv {

struct TypedPointers {
  /// The module; empty: it has no such pointers, or is none.
  std::vector<std::uint32_t> words;
  /// A pointer becomes one to another type (OpBitcast of pointers), which SPIRV-Tools takes for wrong.
  bool changes_types = false;
};

/// Each pointer has the type that what made it says: a variable's data, the end of an access chain. Where memory is
/// read or written as another type, the pointer becomes one to that before. What cannot be followed stays as it is.
[[nodiscard]] TypedPointers with_typed_pointers(std::span<const std::uint32_t> words);

}  // namespace heddle::spirv
