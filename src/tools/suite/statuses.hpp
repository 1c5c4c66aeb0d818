// SPDX-License-Identifier: MIT
#pragma once
// What became of a case, in the words of deqp-runner, Mesa's runner of such programs.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::tools {

enum class CaseStatus : std::uint8_t { Pass, Fail, Skip, Warn, Crash, Timeout, Missing };
[[nodiscard]] std::string_view name_of(CaseStatus status);
[[nodiscard]] std::optional<CaseStatus> find_case_status(std::string_view name);
/// The word of a deqp program ("NotSupported"); nothing: it has no such word.
[[nodiscard]] std::optional<CaseStatus> status_of_deqp(std::string_view word);
[[nodiscard]] bool is_failure(CaseStatus status);

/// Expected failures by case.
using Baseline = std::map<std::string, CaseStatus, std::less<>>;

/// The word of results.csv: what is expected or a known flake is a success, an improvement is not, so that baselines do
/// not grow old.
struct Verdict {
  std::string word;
  bool success = true;
};
/// `again`: what came of the case a second time, where it ran twice.
[[nodiscard]] Verdict judge(CaseStatus found, std::optional<CaseStatus> again, std::optional<CaseStatus> expected,
                            bool known_flake);

}  // namespace heddle::tools
