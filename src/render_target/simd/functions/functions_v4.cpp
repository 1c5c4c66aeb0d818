// SPDX-License-Identifier: MIT
// The functions for x86-64-v4: AVX-512.
#if defined(__AVX512F__)
#define HEDDLE_SIMD_SUFFIX _v4
#include "render_target/simd/functions/functions.inc"
#endif
