#pragma once
// NUM-21 of 8 bits as the kernels look it up.

namespace heddle::unit::lanes {

/// 256 values, then their bytes: see srgb.hpp.
[[nodiscard]] const float* srgb_table();

}  // namespace heddle::unit::lanes
