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
/// What the texts allow a device to answer to one request.
struct AllowedAnswers {
  std::string why_not;  ///< no answer to it can be judged: the reason
  texture::bounds::Bounds bounds;
};
/// By the request's operation and members, and by what is defined now.
[[nodiscard]] AllowedAnswers allowed_answers(BatchRequest& request, const texture::bounds::Options& options);
/// The answer that a device gave, beside them.
[[nodiscard]] Judgement judge_answer(const AllowedAnswers& allowed, const base::Node& answer);

}  // namespace heddle::tools
