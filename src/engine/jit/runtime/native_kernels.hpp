#pragma once
// The vector kernels of the texture unit and of render targets that were compiled into the program: the first tier's
// code calls them by name.

#include <string_view>

#include "machine/jit/context.hpp"
#include "machine/jit/prepared_message.hpp"

namespace heddle::engine::jit {

/// "heddle_simd_sample_16_v4" and so on: entry point, lanes, instruction set (v3: AVX2, v4: AVX-512). Null: there is
/// none.
[[nodiscard]] void* native_kernel(std::string_view name);

/// What code that knows no state finds for a message, whose state it points to; nothing for null.
[[nodiscard]] machine::jit::MessageCall call_of(const machine::jit::PreparedMessage* message);

}  // namespace heddle::engine::jit
