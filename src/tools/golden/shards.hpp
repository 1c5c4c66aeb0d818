// SPDX-License-Identifier: MIT
#pragma once
// All shards of a recording on this machine, some at a time; those that fail run again.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/golden/recording.hpp"

namespace heddle::tools {

struct ShardRun {
  std::uint64_t shards = 1;
  unsigned jobs = 1;               ///< processes at a time
  unsigned retries = 1;            ///< of each shard
  std::vector<std::string> flags;  ///< of heddle golden record, but for --shard
};

/// FOLDER.shards/I: shards of an attempt that did not come to its end.
[[nodiscard]] std::string shard_folder(const std::string& folder, std::uint64_t index);

/// Records each shard by a process of its own into its folder, and gives these folders. A shard that is there already
/// and is of this recording does not run. Id: golden-part: a shard failed in each of its attempts.
[[nodiscard]] base::Result<std::vector<std::string>> record_shards(const std::string& folder,
                                                                   const RecordOptions& options, const ShardRun& run);

}  // namespace heddle::tools
