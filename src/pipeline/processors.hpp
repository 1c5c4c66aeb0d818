#pragma once
// How many of the computer's processors a run may use.

#include <algorithm>
#include <cstdint>

#include <oneapi/tbb/info.h>

namespace heddle::pipeline {

/// Processors that this process may run on: its affinity counts, not the computer's number.
[[nodiscard]] inline unsigned available_processors() {
  return static_cast<unsigned>(std::max(1, oneapi::tbb::info::default_concurrency()));
}

/// `wanted` workers as a size for oneTBB's arena. More than there are processors would wait for each other, and oneTBB
/// would warn of each.
[[nodiscard]] inline int arena_size(std::uint64_t wanted) {
  return static_cast<int>(std::clamp<std::uint64_t>(wanted, 1, available_processors()));
}

}  // namespace heddle::pipeline
