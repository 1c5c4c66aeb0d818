// SPDX-License-Identifier: MIT
#define HEDDLE_PIXEL_LANES pixel_lanes
#define HEDDLE_PACK_PLANES pack_planes
#define HEDDLE_PACK_LANES pack_lanes
#include "pipeline/pixels/lanes.inc"

#include "texture/simd/prepared.hpp"

namespace heddle::pipeline {

#if defined(HEDDLE_PIXEL_LANES_X86)
void pixel_lanes_v3(LaneWork& work);
void pixel_lanes_v4(LaneWork& work);
void pack_planes_v3(PackWork& work, const PlaneCorners& corners);
void pack_planes_v4(PackWork& work, const PlaneCorners& corners);
void pack_lanes_v3(const PackWork& work, PackedSubspan at);
void pack_lanes_v4(const PackWork& work, PackedSubspan at);
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

PackFunctions pack_functions() {
#if defined(HEDDLE_PIXEL_LANES_X86)
  switch (texture::simd::best_instruction_set()) {
    case texture::simd::InstructionSet::V4:
      return {pack_planes_v4, pack_lanes_v4};
    case texture::simd::InstructionSet::V3:
      return {pack_planes_v3, pack_lanes_v3};
    case texture::simd::InstructionSet::Baseline:
      break;
  }
#endif
  return {pack_planes, pack_lanes};
}

}  // namespace heddle::pipeline
