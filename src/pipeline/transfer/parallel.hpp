// SPDX-License-Identifier: MIT
#pragma once
// Work on rows, spread over threads where it is worth it.

#include <cstdint>
#include <functional>

namespace heddle::pipeline::transfer {

/// Bytes or so that one thread should have to do.
inline constexpr std::uint64_t kBytesOfAThread = std::uint64_t{1} << 19;

/// Calls work(begin, end) for parts of 0 ... count - 1 that cover it once. `cost`: bytes of one item. At most `workers`
/// calls at a time, on oneTBB's threads; small work in one call on the caller's thread.
void for_ranges(std::uint64_t count, std::uint64_t cost, unsigned workers,
                const std::function<void(std::uint64_t, std::uint64_t)>& work);

}  // namespace heddle::pipeline::transfer
