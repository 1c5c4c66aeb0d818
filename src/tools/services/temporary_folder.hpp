// SPDX-License-Identifier: MIT
#pragma once
// A folder of its own.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace heddle::tools {

/// Removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code ignored;
    path_ = (std::filesystem::temp_directory_path(ignored) / "heddle-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }  ///< empty: it cannot be made

 private:
  std::string path_;
};

}  // namespace heddle::tools
