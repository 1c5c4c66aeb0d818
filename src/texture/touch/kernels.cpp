// SPDX-License-Identifier: MIT
// The kernels that count, for any machine of the architecture.
#include "texture/touch/kernels.inc"
