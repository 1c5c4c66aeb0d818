// SPDX-License-Identifier: MIT
// The rows for x86-64-v3.
#if defined(__AVX2__)
#define HEDDLE_ROW_FUNCTIONS row_functions_v3
#include "pipeline/transfer/rows.inc"
#endif
