// SPDX-License-Identifier: MIT
// The batches for x86-64-v4.
#if defined(__AVX512F__)
#define HEDDLE_WINDOW window_v4
#define HEDDLE_TRIANGLES triangles_v4
#include "pipeline/raster/batches.inc"
#endif
