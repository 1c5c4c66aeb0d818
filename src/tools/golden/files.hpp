// SPDX-License-Identifier: MIT
#pragma once
// Files that a program leaves are frames too: screenshots of a page, buffers that it writes.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/golden/manifest.hpp"

namespace heddle::tools {

/// Stands for the folder of the files in a program's arguments.
inline constexpr std::string_view kFolderMark = "{}";

/// The program with `folder` in place of each mark. Id: usage-flag: there is none.
[[nodiscard]] base::Result<std::vector<std::string>> program_with_folder(const std::vector<std::string>& program,
                                                                         const std::string& folder);

/// Takes the files below `from` into `folder` and the manifest, in the order of their names: those that its list and
/// shard want. A picture is compared by its texels, another file by its bytes. Ids: golden-frames, those of files.
[[nodiscard]] base::Result<base::Done> collect_files(const std::string& from, const std::string& folder, Manifest& m);

}  // namespace heddle::tools
