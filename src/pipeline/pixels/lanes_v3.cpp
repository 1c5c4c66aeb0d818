// SPDX-License-Identifier: MIT
// The lanes for x86-64-v3.
#if defined(__AVX2__)
#define HEDDLE_PIXEL_LANES pixel_lanes_v3
#define HEDDLE_PACK_PLANES pack_planes_v3
#define HEDDLE_PACK_LANES pack_lanes_v3
#include "pipeline/pixels/lanes.inc"
#endif
