// SPDX-License-Identifier: MIT
#pragma once
// Memory of images: much of it, read here and there.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heddle::base {

/// `bytes` zero bytes from a cache line's start on, which the operating system gives and clears page by page as they
/// are first touched. Great blocks ask for large pages, where the system has them: texels at random then cost no look
/// into the page tables each. Throws std::bad_alloc where there are not so many; null for none.
[[nodiscard]] std::shared_ptr<std::uint8_t> zero_bytes(std::size_t bytes);

}  // namespace heddle::base
