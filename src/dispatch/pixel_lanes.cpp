#define HEDDLE_PIXEL_LANES pixel_lanes
#include "dispatch/pixel_lanes.inc"

#include "unit/lanes/lanes.hpp"

namespace heddle::dispatch {

#if defined(HEDDLE_PIXEL_LANES_X86)
void pixel_lanes_v3(LaneJob& job);
void pixel_lanes_v4(LaneJob& job);
#endif

LaneFunction lane_function() {
#if defined(HEDDLE_PIXEL_LANES_X86)
  switch (unit::lanes::best_target()) {
    case unit::lanes::Target::V4:
      return pixel_lanes_v4;
    case unit::lanes::Target::V3:
      return pixel_lanes_v3;
    case unit::lanes::Target::Baseline:
      break;
  }
#endif
  return pixel_lanes;
}

}  // namespace heddle::dispatch
