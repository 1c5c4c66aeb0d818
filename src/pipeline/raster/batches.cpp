// SPDX-License-Identifier: MIT
// The batches for any machine of the architecture, and the choice among the builds.
#define HEDDLE_WINDOW window_baseline
#define HEDDLE_TRIANGLES triangles_baseline
#include "pipeline/raster/batches.inc"

#include "texture/simd/prepared.hpp"

namespace heddle::pipeline {

#if defined(HEDDLE_SIMD_X86)
void window_v3(const WindowWork& work);
void window_v4(const WindowWork& work);
void triangles_v3(TriangleBatch& batch);
void triangles_v4(TriangleBatch& batch);
#endif

BatchFunctions batch_functions() {
#if defined(HEDDLE_SIMD_X86)
  switch (texture::simd::best_instruction_set()) {
    case texture::simd::InstructionSet::V4:
      return {window_v4, triangles_v4};
    case texture::simd::InstructionSet::V3:
      return {window_v3, triangles_v3};
    case texture::simd::InstructionSet::Baseline:
      break;
  }
#endif
  return {window_baseline, triangles_baseline};
}

}  // namespace heddle::pipeline
