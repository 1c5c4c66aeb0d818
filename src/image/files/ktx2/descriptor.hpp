// SPDX-License-Identifier: MIT
#pragma once
// The data format descriptor of a KTX2 file (Khronos Data Format Specification 1.3, section 3: basic descriptor block).

#include <cstdint>
#include <vector>

#include "image/format.hpp"

namespace heddle::image {

/// dfdTotalSize and the block, little-endian. Formats that have a VkFormat.
[[nodiscard]] std::vector<std::uint8_t> data_format_descriptor(const FormatInfo& format);

/// typeSize of the header: bytes of the unit that a big-endian machine would swap.
[[nodiscard]] std::uint32_t type_size(const FormatInfo& format);

}  // namespace heddle::image
