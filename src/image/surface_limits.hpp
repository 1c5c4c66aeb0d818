// SPDX-License-Identifier: MIT
#pragma once
// What the fields of a surface's state have room for (SUR-1, HW-1).

#include <cstdint>

namespace heddle::image {

inline constexpr std::uint32_t kMaxSurfaceSide = 16384;  ///< texels: 14-bit Width and Height fields
inline constexpr std::uint32_t kMaxSurfaceDepth = 2048;  ///< slices, and layers of a view: 11-bit Depth field
inline constexpr std::uint64_t kMaxTypedEntries = std::uint64_t{1} << 27;  ///< elements of a buffer with a format
inline constexpr std::uint64_t kMaxRawBytes = std::uint64_t{1} << 30;      ///< of a buffer without one

}  // namespace heddle::image
