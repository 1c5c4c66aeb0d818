// SPDX-License-Identifier: MIT
// The functions that count, for any machine of the architecture.
#include "texture/touch/kernels.inc"
