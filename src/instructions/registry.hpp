// SPDX-License-Identifier: MIT
#pragma once
// The registry of all instructions of Heddle.

#include "isa/description.hpp"

namespace heddle::instructions {

/// Built on first use, thread safe, never changes.
[[nodiscard]] const isa::Registry& registry();

}  // namespace heddle::instructions
