// SPDX-License-Identifier: MIT
#pragma once
// Requests in lines, answers in lines, while they come: what both batch commands share.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"

namespace heddle::tools {

struct LineService {
  std::string what;  ///< for the progress bar
  /// True for a line that changes how others are answered: it is answered by itself, between those before and behind
  /// it. Empty: there are none.
  std::function<bool(std::string_view line)> changes_state;
  /// Adds the answer to `line`, line `number` (from 1) of the input, without a newline; false where it is an error.
  /// Called by several threads at a time.
  std::function<bool(std::string_view line, std::uint64_t number, std::string& answer)> answer;
};

/// Answers every line of `input` that is not blank, in order: a file, or "-" for standard input. Answers go to standard
/// output ("-") as soon as no more lines are there to be read, or to a file that appears whole at the end. A line
/// longer than limits.input_bytes ends it (4). Exit code 1 where a line was not answered.
base::ExitCode answer_lines(const std::string& input, const std::string& output, const base::Limits& limits,
                            const LineService& service);

}  // namespace heddle::tools
