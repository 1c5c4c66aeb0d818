// SPDX-License-Identifier: MIT
// The kernels for any machine of the architecture, and for bitcode.
#include "texture/simd/kernels/kernels.inc"
