// SPDX-License-Identifier: MIT
#pragma once
// Checks that the data port's families share.

#include "instructions/checks.hpp"

namespace heddle::instructions {

/// visa-surface-special: leftovers of the stack model as memory surfaces.
void check_memory_surface(Check& check);
/// visa-gather-size: some channel is moved.
void check_moved_channels(Check& check);
/// visa-typed-surface: the surface, the execution size and the first coordinate of a message to texels.
void check_typed_message(Check& check);
/// visa-svm-exec
void check_svm_execution(Check& check);

}  // namespace heddle::instructions
