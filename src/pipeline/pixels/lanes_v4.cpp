// SPDX-License-Identifier: MIT
// The lanes for x86-64-v4.
#if defined(__AVX512F__)
#define HEDDLE_PIXEL_LANES pixel_lanes_v4
#define HEDDLE_PACK_PLANES pack_planes_v4
#define HEDDLE_PACK_LANES pack_lanes_v4
#include "pipeline/pixels/lanes.inc"
#endif
