// SPDX-License-Identifier: MIT
#pragma once
// Recorded frames and new ones, without a tolerance.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/golden/manifest.hpp"

namespace heddle::tools {

struct FrameResult {
  std::uint64_t number = 0;
  std::string name;        ///< of the frame; empty where it has none
  std::string difference;  ///< in words; empty: the frames are equal
  std::string picture;     ///< of the difference: recorded, new, and where they differ; empty: there is none
  [[nodiscard]] std::string title() const;  ///< as GoldenFrame's
};

/// One result for each frame that either has, by number. Pictures of differences go to `differences`, which is made
/// when there is one.
[[nodiscard]] base::Result<std::vector<FrameResult>> compare_frames(const std::string& golden_folder,
                                                                    const Manifest& golden,
                                                                    const std::string& new_folder, const Manifest& now,
                                                                    const std::string& differences);

/// As CI systems read it: a test suite, a test case for each frame.
[[nodiscard]] std::string junit_of(const std::string& suite, const std::vector<FrameResult>& results);

}  // namespace heddle::tools
