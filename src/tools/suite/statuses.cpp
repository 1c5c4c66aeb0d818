// SPDX-License-Identifier: MIT
#include "tools/suite/statuses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::tools {
namespace {

constexpr std::string_view kNames[] = {"Pass", "Fail", "Skip", "Warn", "Crash", "Timeout", "Missing"};

/// How bad a failure is: one that is less bad than expected is an improvement.
int badness(CaseStatus status) {
  return !is_failure(status) ? 0 : status == CaseStatus::Fail || status == CaseStatus::Missing ? 1 : 2;
}

}  // namespace

std::string_view name_of(CaseStatus status) { return kNames[static_cast<std::size_t>(status)]; }

std::optional<CaseStatus> find_case_status(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  return found == std::end(kNames) ? std::nullopt : std::optional(static_cast<CaseStatus>(found - std::begin(kNames)));
}

std::optional<CaseStatus> status_of_deqp(std::string_view word) {
  static constexpr std::pair<std::string_view, CaseStatus> kWords[] = {
      {"Pass", CaseStatus::Pass},
      {"Fail", CaseStatus::Fail},
      {"NotSupported", CaseStatus::Skip},
      {"QualityWarning", CaseStatus::Warn},
      {"CompatibilityWarning", CaseStatus::Warn},
      {"CapabilityWarning", CaseStatus::Warn},
      {"Waiver", CaseStatus::Warn},
      {"Pending", CaseStatus::Fail},
      {"ResourceError", CaseStatus::Fail},
      {"InternalError", CaseStatus::Fail},
      {"Crash", CaseStatus::Crash},
      {"DeviceLost", CaseStatus::Crash},
      {"Timeout", CaseStatus::Timeout},
  };
  const auto found = std::ranges::find(kWords, word, &std::pair<std::string_view, CaseStatus>::first);
  return found == std::end(kWords) ? std::nullopt : std::optional(found->second);
}

bool is_failure(CaseStatus status) {
  return status == CaseStatus::Fail || status == CaseStatus::Crash || status == CaseStatus::Timeout ||
         status == CaseStatus::Missing;
}

Verdict judge(CaseStatus found, std::optional<CaseStatus> again, std::optional<CaseStatus> expected, bool known_flake) {
  if (again && *again != found) return {"Flake", true};
  if (!is_failure(found)) {
    if (!expected || found == CaseStatus::Warn) return {std::string(name_of(found)), true};
    if (known_flake) return {"KnownFlake", true};
    return {fmt::format("UnexpectedImprovement({})", name_of(found)), false};
  }
  if (expected == found) return {"ExpectedFail", true};
  if (known_flake) return {"KnownFlake", true};
  if (expected && badness(found) < badness(*expected))
    return {fmt::format("UnexpectedImprovement({})", name_of(found)), false};
  return {std::string(name_of(found)), false};
}

}  // namespace heddle::tools
