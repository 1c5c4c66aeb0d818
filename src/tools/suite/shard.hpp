// SPDX-License-Identifier: MIT
#pragma once
// --shard I/N: a part of what can be done in parts.

#include <string_view>

#include "base/environment/frame_plan.hpp"
#include "base/result.hpp"

namespace heddle::tools {

using base::kMaxShards;
using base::Shard;
/// Of no text: all. Id: usage-flag.
[[nodiscard]] base::Result<Shard> read_shard(std::string_view text);

}  // namespace heddle::tools
