// SPDX-License-Identifier: MIT
// The functions that count, for x86-64-v3: AVX2, FMA, F16C.
#if defined(__AVX2__)
#define HEDDLE_SIMD_SUFFIX _v3
#include "texture/touch/kernels.inc"
#endif
