// SPDX-License-Identifier: MIT
#pragma once
// Recorded frames and new ones, without a tolerance.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "tools/golden/manifest.hpp"

namespace heddle::tools {

/// The first one in reading order, of a frame as it is now.
struct DifferingPixel {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  std::string sha256;  ///< of the frame's texels
};

struct FrameResult {
  std::uint64_t number = 0;
  std::string name;        ///< of the frame; empty where it has none
  std::string difference;  ///< in words; empty: the frames are equal
  std::string picture;     ///< of the difference: recorded, new, and where they differ; empty: there is none
  std::optional<DifferingPixel> pixel;      ///< where there are pictures of one size and format
  [[nodiscard]] std::string title() const;  ///< as GoldenFrame's
};

struct Comparison {
  std::vector<FrameResult> frames;         ///< one for each frame that either has, by number
  std::vector<base::Diagnostic> problems;  ///< why pictures of differences could not be written. Id: file-write
};
struct DifferencesFolder {
  std::string path;   ///< made when there is a picture for it
  bool ours = false;  ///< pictures of earlier checks go away where a frame is equal now
};
[[nodiscard]] Comparison compare_frames(const std::string& golden_folder, const Manifest& golden,
                                        const std::string& new_folder, const Manifest& now,
                                        const DifferencesFolder& differences);

/// As CI systems read it: a test suite, a test case for each frame.
[[nodiscard]] std::string junit_of(const std::string& suite, const std::vector<FrameResult>& results);
/// One test case, which could not run.
[[nodiscard]] std::string junit_of(const std::string& suite, const std::string& test, const std::string& problem);

}  // namespace heddle::tools
