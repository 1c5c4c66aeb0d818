// SPDX-License-Identifier: MIT
#pragma once
// Sampler feedback as Direct3D 12 has it: which regions of an image's levels samples read, and the finest level of each
// region of the first. docs/rules/footprint.md has the rules (FP-28 to FP-30, FP-34).

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/texture.hpp"

namespace heddle {

/// How MIN_MIP covers the regions of the first level: all that a used region lies over, or the one under the
/// coordinate.
enum class FeedbackForm : std::uint8_t { Spread, Point };

struct FeedbackOptions {
  std::array<std::uint32_t, 2> region{4, 4};  ///< texels: powers of two from 4 to half the first level
  FeedbackForm form = FeedbackForm::Spread;
  bool merge_tail = false;  ///< record levels smaller than a region as the first of them
  std::uint32_t layer = 0;  ///< of an array
};

/// Regions of one level, row by row.
struct FeedbackGrid {
  std::uint32_t columns = 0, rows = 0;
  std::vector<std::uint8_t> cells;
};

/// Both maps.
struct FeedbackMaps {
  static constexpr std::uint8_t kNone = 255;
  FeedbackGrid min_mip;            ///< the finest level, kNone where nothing was read
  std::vector<FeedbackGrid> used;  ///< MIP_REGION_USED for each level: 255 or 0
};

/// Collects what samples of one 2D image read.
class Feedback {
 public:
  /// Ids: usage-argument, footprint-query, footprint-feedback-region, limit-memory.
  static Result<Feedback> create(const Image& image, const FeedbackOptions& options = {}, const Limits& limits = {});
  /// A sample leaves its texels; the color is thrown away. Ids: as `sample`, and limit-memory.
  Result<Done> sample(const Sampler& sampler, const Point& at, const SampleOptions& options = {});
  /// The maps in the form that was asked for.
  [[nodiscard]] FeedbackMaps maps() const;
  /// FP-34: the least and the greatest maps that the specification allows.
  [[nodiscard]] FeedbackMaps least() const;
  [[nodiscard]] FeedbackMaps greatest() const;

  struct Impl;  ///< of the library
  explicit Feedback(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle
