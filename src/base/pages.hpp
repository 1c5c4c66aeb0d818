#pragma once
// Memory of images: much of it, read here and there.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::base {

/// `bytes` zero bytes. Great blocks ask for large pages before anything touches them, where the system has them: texels
/// at random then cost no look into the page tables each.
[[nodiscard]] std::vector<std::uint8_t> zero_bytes(std::size_t bytes);

}  // namespace heddle::base
