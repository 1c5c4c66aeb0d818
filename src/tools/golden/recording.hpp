// SPDX-License-Identifier: MIT
#pragma once
// A program runs, and its frames are recorded.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/golden/manifest.hpp"

namespace heddle::tools {

struct RecordOptions {
  std::vector<std::string> program;  ///< with its arguments
  std::vector<std::string> inputs;   ///< further files that the frames depend on
  bool targets = false, stops = false;
  FrameList frames;
  Shard shard;
};

/// Runs the program and leaves its frames in `folder`, which is empty: pictures, without a manifest.
/// Ids: golden-program, golden-frames, those of files.
[[nodiscard]] base::Result<Manifest> record_frames(const std::string& folder, const RecordOptions& options);

/// A folder that takes its name when all is in it: until then it is FOLDER.unfinished, which a later attempt removes.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)), unfinished_(path_ + ".unfinished") {}
  /// Ids: golden-folder: something is there that no recording left.
  [[nodiscard]] base::Result<base::Done> begin();
  [[nodiscard]] const std::string& path() const { return unfinished_; }
  [[nodiscard]] base::Result<base::Done> finish(const Manifest& manifest);

 private:
  std::string path_, unfinished_;
};

}  // namespace heddle::tools
