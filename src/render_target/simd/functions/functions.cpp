// SPDX-License-Identifier: MIT
// The functions for any machine of the architecture.
#include "render_target/simd/functions/functions.inc"
