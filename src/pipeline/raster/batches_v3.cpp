// SPDX-License-Identifier: MIT
// The batches for x86-64-v3.
#if defined(__AVX2__)
#define HEDDLE_WINDOW window_v3
#define HEDDLE_TRIANGLES triangles_v3
#include "pipeline/raster/batches.inc"
#endif
