// SPDX-License-Identifier: MIT
// The rows for x86-64-v4.
#if defined(__AVX512F__)
#define HEDDLE_ROW_FUNCTIONS row_functions_v4
#include "pipeline/transfer/rows.inc"
#endif
