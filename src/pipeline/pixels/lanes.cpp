#define HEDDLE_PIXEL_LANES pixel_lanes
#include "pipeline/pixels/lanes.inc"

#include "texture/simd/prepared.hpp"

namespace heddle::pipeline {

#if defined(HEDDLE_PIXEL_LANES_X86)
void pixel_lanes_v3(LaneWork& work);
void pixel_lanes_v4(LaneWork& work);
#endif

LaneFunction lane_function() {
#if defined(HEDDLE_PIXEL_LANES_X86)
  switch (texture::simd::best_instruction_set()) {
    case texture::simd::InstructionSet::V4:
      return pixel_lanes_v4;
    case texture::simd::InstructionSet::V3:
      return pixel_lanes_v3;
    case texture::simd::InstructionSet::Baseline:
      break;
  }
#endif
  return pixel_lanes;
}

}  // namespace heddle::pipeline
