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
  FrameKind of = FrameKind::Presents;
  std::vector<std::string> objects;  ///< names; of FrameKind::Objects
  bool stops = false;
  FrameList frames;
  Shard shard;
};

/// What a recording with these options says before its program has run: all but frames.
/// Ids: those of files.
[[nodiscard]] base::Result<Manifest> begin_manifest(const RecordOptions& options);

/// Runs the program and leaves its frames in `folder`, which is empty: pictures, without a manifest.
/// Ids: golden-program, golden-frames, those of files.
[[nodiscard]] base::Result<Manifest> record_frames(const std::string& folder, const RecordOptions& options);

/// HEDDLE_FRAME_PLAN of what is recorded: kind, names, and the frame behind which the program is ended. `chosen`: with
/// the frames and the shard; without them all frames are meant.
[[nodiscard]] std::string frame_plan_of(const RecordOptions& options, bool chosen = true);

/// A folder as other names are made of it: "golden/menu/" is "golden/menu".
[[nodiscard]] std::string folder_name(const std::string& path);

/// A folder that takes its name when all is in it: until then it is FOLDER.unfinished, which a later attempt removes.
/// What it replaces is FOLDER.replaced for the moment in which the new one takes its name.
class NewFolder {
 public:
  explicit NewFolder(const std::string& path)
      : path_(folder_name(path)), unfinished_(path_ + ".unfinished"), replaced_(path_ + ".replaced") {}
  ~NewFolder();  ///< nothing is left of an attempt that came to no frame
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  /// Ids: golden-folder: something is there that no recording left.
  [[nodiscard]] base::Result<base::Done> begin();
  [[nodiscard]] const std::string& path() const { return unfinished_; }
  [[nodiscard]] base::Result<base::Done> finish(const Manifest& manifest);

 private:
  std::string path_, unfinished_, replaced_;
  bool begun_ = false;
};

}  // namespace heddle::tools
