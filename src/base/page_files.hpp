// SPDX-License-Identifier: MIT
#pragma once
// Shareable bytes (pages.hpp), also where the system maps no mapping a second time.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heddle::base {

/// As `shareable_zero_bytes`, which gives these where it must: a file's (memfd_create), which `show_pages` maps.
[[nodiscard]] std::shared_ptr<std::uint8_t> zero_bytes_of_a_file(std::size_t bytes);
/// Gives whole pages of shareable bytes back to the system, wherever they stand: they are zeros again. What the system
/// can't give back stays.
void clear_shareable_pages(std::uint8_t* at, std::size_t bytes);

}  // namespace heddle::base
