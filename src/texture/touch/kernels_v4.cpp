// SPDX-License-Identifier: MIT
// The functions that count, for x86-64-v4: AVX-512.
#if defined(__AVX512F__)
#define HEDDLE_SIMD_SUFFIX _v4
#include "texture/touch/kernels.inc"
#endif
