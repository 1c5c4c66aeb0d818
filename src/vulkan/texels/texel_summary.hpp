// SPDX-License-Identifier: MIT
#pragma once
// What is said of an image over the whole run.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vulkan/texels/texel_session.hpp"

namespace heddle::vulkan {

struct LevelSummary {
  std::uint64_t texels = 0, texels_read = 0, texels_written = 0;  ///< reads: of shaders
  std::uint64_t texels_early = 0;                                 ///< read by shaders before anybody wrote them
  std::uint64_t bytes_uploaded = 0, bytes_unread = 0;             ///< uploaded, and of those never read by anything
  std::uint64_t texels_uploaded = 0, texels_unread = 0;           ///< uploaded, and of those never read by shaders
  std::uint64_t texels_missing = 0;                               ///< read by shaders and never uploaded
  /// Squares of 64 x 64 texels: uploaded in part, of those never read by shaders, read, of those never uploaded.
  std::uint64_t regions_uploaded = 0, regions_unread = 0, regions_read = 0, regions_missing = 0;
  void add(const LevelSummary& other);
};

struct PlaneSummary {
  PlaneUse whole;
  std::vector<LevelSummary> levels;
  [[nodiscard]] LevelSummary sum() const;
};
[[nodiscard]] PlaneSummary summary_of(const PlaneRecord& record);

/// What the JSON file and the page are made from.
struct TexelReport {
  struct Plane {
    const PlaneRecord* record = nullptr;
    std::string file;  ///< how its files begin: "000-albedo"
    PlaneSummary summary;
    std::map<std::size_t, std::string> maps;  ///< by use: path below the folder
  };
  std::string program;
  TexelSession::Frames frames = TexelSession::Frames::Submissions;
  bool by_draw = false;
  bool lost = false;  ///< some counts are
  std::vector<Plane> planes;
  const std::vector<SamplerRecord>& samplers;
  const std::vector<TexelUnit>& units;
  std::vector<std::map<std::size_t, std::map<std::size_t, std::string>>> unit_maps;  ///< of each unit and its planes
  std::uint64_t maps_left_out = 0;
};

[[nodiscard]] std::string summary_text(const TexelReport& report);
[[nodiscard]] std::string page_text(const TexelReport& report);

}  // namespace heddle::vulkan
