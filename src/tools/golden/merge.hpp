// SPDX-License-Identifier: MIT
#pragma once
// Shards of one recording become what one run would have recorded.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/golden/manifest.hpp"

namespace heddle::tools {

/// Checks that the parts are all shards of one recording, each once and whole, and copies their pictures to `folder`.
/// Ids: golden-part, which names the part; golden-manifest, those of files.
[[nodiscard]] base::Result<Manifest> merge_parts(const std::string& folder, const std::vector<std::string>& parts);

}  // namespace heddle::tools
