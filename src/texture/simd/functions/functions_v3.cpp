// SPDX-License-Identifier: MIT
// The functions for x86-64-v3: AVX2, FMA, F16C.
#if defined(__AVX2__)
#define HEDDLE_SIMD_SUFFIX _v3
#include "texture/simd/functions/functions.inc"
#endif
