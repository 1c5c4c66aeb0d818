// SPDX-License-Identifier: MIT
// The kernels for any machine of the architecture.
#include "render_target/simd/kernels/kernels.inc"
