// SPDX-License-Identifier: MIT
// The rows for any machine of the architecture, and the choice among the builds.
#define HEDDLE_ROW_KERNELS row_kernels_baseline
#include "pipeline/transfer/rows.inc"

#include "pipeline/transfer/row_format.hpp"

namespace heddle::pipeline::transfer {

#if defined(HEDDLE_SIMD_X86)
extern const RowKernels row_kernels_v3;
extern const RowKernels row_kernels_v4;
#endif

const RowKernels& row_kernels() { return row_kernels(texture::simd::best_instruction_set()); }

const RowKernels& row_kernels([[maybe_unused]] texture::simd::InstructionSet target) {
#if defined(HEDDLE_SIMD_X86)
  switch (target) {
    case texture::simd::InstructionSet::V4:
      return row_kernels_v4;
    case texture::simd::InstructionSet::V3:
      return row_kernels_v3;
    case texture::simd::InstructionSet::Baseline:
      break;
  }
#endif
  return row_kernels_baseline;
}

}  // namespace heddle::pipeline::transfer
