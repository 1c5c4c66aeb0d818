#pragma once
// LOD-1 as the kernels look it up.

#include <cstdint>

namespace heddle::unit::lanes {

/// 512 words: see Varying::log2.
[[nodiscard]] const std::uint32_t* log2_table();

}  // namespace heddle::unit::lanes
