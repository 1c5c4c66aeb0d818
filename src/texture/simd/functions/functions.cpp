// SPDX-License-Identifier: MIT
// The functions for any machine of the architecture, and for bitcode.
#include "texture/simd/functions/functions.inc"
