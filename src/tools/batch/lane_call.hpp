// SPDX-License-Identifier: MIT
#pragma once
// A request over lanes: what to run, on what, with which parameters.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "texture/destination.hpp"
#include "texture/request.hpp"
#include "tools/batch/batch.hpp"
#include "tools/batch/lane_values.hpp"

namespace heddle::tools {

struct LaneCall {
  /// Reads the members that say how the operation runs; read() those that say on what. What is wrong is reported.
  LaneCall(BatchRequest& request, const texture::Operation& operation);
  /// False after a report.
  [[nodiscard]] bool read(BatchRequest& request);

  const texture::Operation& op;
  texture::LaneRequest lanes;
  texture::Destination destination;
  BoundSurface surface;
  BoundSampler sampler;
  LaneParameters params;
  std::uint64_t count = 0;            ///< lanes
  std::vector<std::uint32_t> active;  ///< a mask for each 32 lanes

 private:
  std::optional<std::uint64_t> given_;
};

/// The lanes of the message that runs the next ones of `rest` lanes.
[[nodiscard]] constexpr unsigned lane_group_width(std::uint64_t rest) { return rest > 16 ? 32 : rest > 8 ? 16 : 8; }
/// One message with its parameters: the lanes from `first`, a multiple of 32, on. `request` has surface and sampler.
class LaneGroup {
 public:
  LaneGroup(const texture::LaneRequest& request, const LaneParameters& params, std::uint64_t first, unsigned width,
            std::uint32_t active);
  LaneGroup(const LaneGroup&) = delete;
  LaneGroup& operator=(const LaneGroup&) = delete;
  [[nodiscard]] const texture::LaneRequest& request() const { return lanes_; }

 private:
  texture::LaneRequest lanes_;
  std::array<texture::LaneWords, texture::kParamCount> words_;
};
/// It by the reference unit.
texture::LaneResult run_lane_group(const texture::LaneRequest& request, const LaneParameters& params,
                                   std::uint64_t first, unsigned width, std::uint32_t active,
                                   texture::OperationContext& unit);

}  // namespace heddle::tools
