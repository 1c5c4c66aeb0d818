// SPDX-License-Identifier: MIT
#pragma once
// What a compiled function is made for: the threads that a call of it runs, and what is known of them.

#include <cstdint>
#include <vector>

#include "engine/jit/analysis/image_operations.hpp"
#include "engine/jit/analysis/known_values.hpp"

namespace heddle::engine::jit {

/// Pixel threads that lie side by side, each subspan covered everywhere: one call runs them all. Bytes of the payload
/// where the lanes' centers are, which follow from the place; ThreadContext::fill writes what else changes.
struct RowLayout {
  std::vector<std::uint32_t> x, y;
  std::uint16_t coverage = 1;  ///< of each pixel (RTW-7)
};

/// What a compiled function is made for, beside the program.
struct KernelVariant {
  unsigned simd = 32;  ///< lanes that can be active
  bool full = false;   ///< all of them are at the start
  /// Not 0: the function runs threads of compute groups one after another, which have this many bytes of the payload of
  /// their own (see ThreadContext).
  std::uint32_t own_bytes = 0;
  bool keep_registers = false;  ///< variables and predicates are in the thread's registers at its end (for tests)
  const KnownValueMap* known = nullptr;
  const Images* images = nullptr;
  const RowLayout* row = nullptr;  ///< null: a call runs one thread, whose payload is complete
  /// First tier, kernels that are not known to run long: variables stay in the thread's registers, where the reference
  /// engine looks for them, and what calls of reference functions have in common stands once. That takes less to
  /// compile, and longer to run.
  bool in_memory = false;
};

}  // namespace heddle::engine::jit
