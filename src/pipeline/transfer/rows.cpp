// SPDX-License-Identifier: MIT
// The rows for any machine of the architecture, and the choice among the builds.
#define HEDDLE_ROW_FUNCTIONS row_functions_baseline
#include "pipeline/transfer/rows.inc"

#include "pipeline/transfer/row_format.hpp"

namespace heddle::pipeline::transfer {

#if defined(HEDDLE_SIMD_X86)
extern const RowFunctions row_functions_v3;
extern const RowFunctions row_functions_v4;
#endif

const RowFunctions& row_functions() { return row_functions(texture::simd::best_instruction_set()); }

const RowFunctions& row_functions([[maybe_unused]] texture::simd::InstructionSet target) {
#if defined(HEDDLE_SIMD_X86)
  switch (target) {
    case texture::simd::InstructionSet::V4:
      return row_functions_v4;
    case texture::simd::InstructionSet::V3:
      return row_functions_v3;
    case texture::simd::InstructionSet::Baseline:
      break;
  }
#endif
  return row_functions_baseline;
}

}  // namespace heddle::pipeline::transfer
