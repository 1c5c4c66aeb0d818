// SPDX-License-Identifier: MIT
#pragma once
// A request over lanes, asked for what a device may answer (BND), and the answer of a device laid beside it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "texture/bounds/bounds.hpp"
#include "tools/batch/lane_call.hpp"

namespace heddle::tools {

/// `api`, `limits` and `why` of a request; after a report the defaults.
[[nodiscard]] texture::bounds::Options bounds_options(BatchRequest& request);

/// What each lane of the call may answer; nothing after a report.
[[nodiscard]] std::optional<texture::bounds::Bounds> bounds_of_lanes(BatchRequest& request, LaneCall& call,
                                                                     const texture::bounds::Options& options);

/// One channel of one lane of a recorded answer that does not lie inside.
struct JudgedValue {
  std::uint64_t lane = 0;
  char channel = 'R';
  texture::bounds::Verdict verdict{};
  std::string value;  ///< as the answer has it
  double low = 0, high = 0;
  std::string_view rule;
};

/// What is to be said of one recorded answer.
struct Judgement {
  std::string why_not;  ///< it was not judged: the reason
  std::uint64_t inside = 0, edge = 0, outside = 0;
  std::vector<JudgedValue> found;  ///< at the edge or outside
};
/// The request's operation and members, beside the answer that a device gave to it.
[[nodiscard]] Judgement judge_answer(BatchRequest& request, const base::Node& answer,
                                     const texture::bounds::Options& options);

}  // namespace heddle::tools
