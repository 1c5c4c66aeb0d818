// SPDX-License-Identifier: MIT
#pragma once
// --shard I/N: a part of what can be done in parts.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace heddle::tools {

/// Every `count`-th of many things, which are counted from 0, beginning with `index` - 1.
struct Shard {
  std::uint64_t index = 1, count = 1;
  [[nodiscard]] bool has(std::uint64_t number) const { return number % count == index - 1; }
  [[nodiscard]] std::string text() const;  ///< "2/4"
};
/// More shards than this are refused: no job array has them, and what is missing of them could not be named.
inline constexpr std::uint64_t kMaxShards = 65536;
/// Id: usage-flag.
[[nodiscard]] base::Result<Shard> read_shard(std::string_view text);

}  // namespace heddle::tools
