// SPDX-License-Identifier: MIT
#include "tools/suite/shard.hpp"

#include <fmt/format.h>

#include "base/diagnostic.hpp"

namespace heddle::tools {

base::Result<Shard> read_shard(std::string_view text) {
  constexpr std::size_t kLongest = 200;  // of a message
  if (text.empty()) return Shard{};
  const auto shard = base::parse_shard(text);
  if (!shard)
    return base::error("usage-flag", fmt::format("'{}' is no shard", text.substr(0, kLongest)),
                       base::Place::command_line("--shard"))
        .note(fmt::format("--shard takes I/N, I from 1 to N, N up to {}: 2/4", kMaxShards));
  return *shard;
}

}  // namespace heddle::tools
