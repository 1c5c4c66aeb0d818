// SPDX-License-Identifier: MIT
#pragma once
// What OpenCL kernels print, as Intel's compiler lays it into the printf buffer.

#include <cstdint>
#include <span>

#include "machine/bindings.hpp"
#include "shader_interface/messages.hpp"

namespace heddle::job {

/// Bytes of the buffer, which the compiler's code counts on.
inline constexpr std::size_t kPrintfBytes = 4u << 20;
/// Makes it empty: its first dword is the place of the next message.
void clear_printf(std::span<std::uint8_t> buffer);
/// Reads the messages and empties the buffer. `memory` has the formats and texts that they name by address.
[[nodiscard]] shader_interface::Messages take_printf(std::span<std::uint8_t> buffer, const machine::AddressMap& memory);

}  // namespace heddle::job
