// SPDX-License-Identifier: MIT
#pragma once
// Shareable bytes where the system maps no mapping a second time.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heddle::base {

/// As `shareable_zero_bytes`, which gives these where it must: a file's (memfd_create), which `show_pages` maps.
[[nodiscard]] std::shared_ptr<std::uint8_t> zero_bytes_of_a_file(std::size_t bytes);

}  // namespace heddle::base
