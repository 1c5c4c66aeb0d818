// SPDX-License-Identifier: MIT
#pragma once
// Which texels of the job's images a run read and wrote, and which its footprint queries named.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "image/surface.hpp"
#include "machine/observer.hpp"

namespace heddle::job {

/// Which texels of surfaces were read, written, or named by footprint queries.
class TexelCoverage final : public machine::Observer {
 public:
  void texel(const texture::TexelTouch& touch) override;
  void footprint(const machine::FootprintTouch& touch) override;
  [[nodiscard]] bool wants_memory() const override { return false; }

  /// One picture of a surface: how often each texel was read, written and named.
  struct Plane {
    std::uint32_t level = 0, slice = 0, width = 0, height = 0;
    std::vector<std::uint32_t> reads, writes;  ///< empty where the picture was not touched
    std::vector<std::uint32_t> queries;        ///< by answers of footprint queries; empty where there were none
  };
  /// Slice after slice, of each all levels; of surfaces with more than `most` pictures only those that were touched.
  /// Empty where the surface was not touched. Surfaces need not live any more.
  [[nodiscard]] std::vector<Plane> planes(const std::string& name, std::size_t most = 64) const;

  /// Levels and slices of a surface; 0 where it was not touched.
  struct Extent {
    std::uint32_t levels = 0, slices = 0;
  };
  [[nodiscard]] Extent extent(const std::string& name) const;

  /// A picture of one level and slice of the surface with that name, a pixel for each texel: red = reads, green =
  /// writes, blue = queries, brighter for more (each doubling a step). Nothing where it was not touched.
  [[nodiscard]] std::optional<image::Surface> picture(const std::string& name, std::uint32_t level = 0,
                                                      std::uint32_t slice = 0) const;

 private:
  /// A plane while the run goes on: rectangles of queries are kept by their corners (each row's and column's change),
  /// so that one costs the same whatever its size.
  struct Counted {
    Plane plane;
    std::vector<std::int32_t> corners;  ///< (width + 1) * (height + 1); empty without queries
    [[nodiscard]] Plane whole() const;
  };
  void remember_shape(const image::Surface& surface);
  Counted* counted(const image::Surface& surface, std::uint32_t level, std::uint32_t slice);
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;  ///< name, level, slice
  std::map<std::string, std::vector<Plane>> shapes_;                  ///< all pictures of a surface, without counts
  std::map<std::string, Extent> extents_;
  std::map<Key, Counted> planes_;
  std::tuple<const image::Surface*, std::uint32_t, std::uint32_t>
      last_key_{};  ///< of the texel before: neighbors share a plane
  Counted* last_ = nullptr;
};

}  // namespace heddle::job
