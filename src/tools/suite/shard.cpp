// SPDX-License-Identifier: MIT
#include "tools/suite/shard.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/diagnostic.hpp"
#include "tools/command_line/numbers.hpp"

namespace heddle::tools {

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

base::Result<Shard> read_shard(std::string_view text) {
  constexpr std::size_t kLongest = 200;  // of a message
  if (text.empty()) return Shard{};
  const std::size_t slash = text.find('/');
  const auto index = parse_number<std::uint64_t>(text.substr(0, slash));
  const auto count =
      slash == std::string_view::npos ? std::nullopt : parse_number<std::uint64_t>(text.substr(slash + 1));
  if (!index || !count || *index == 0 || *index > *count || *count > kMaxShards)
    return base::error("usage-flag", fmt::format("'{}' is no shard", text.substr(0, kLongest)),
                       base::Place::command_line("--shard"))
        .note(fmt::format("--shard takes I/N, I from 1 to N, N up to {}: 2/4", kMaxShards));
  return Shard{*index, *count};
}

}  // namespace heddle::tools
