// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_VECTORS: which of the processor's vector instructions are used. Results are the same with any of them.

#include <string>

namespace heddle::base {

/// The newest level of x86-64 whose vectors may be used: 2 (for 1 too), 3 or 4; 0: whatever the processor has.
[[nodiscard]] unsigned vector_limit();
/// The same as LLVM's name of a processor, x86-64-v3; empty: whatever it has, as always on other architectures.
[[nodiscard]] std::string limited_processor();

}  // namespace heddle::base
