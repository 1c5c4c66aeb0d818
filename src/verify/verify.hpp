// SPDX-License-Identifier: MIT
#pragma once
// The rules over a whole vISA program. Everything is reported, never only the first finding.

#include <cstddef>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"

namespace heddle::verify {

struct Options {
  /// Judge for this platform. Without one a finding is an error only when it holds on every platform; what stands in
  /// the way of the others is in Fit::mismatches, and a program that fits none is an error (visa-platform).
  std::optional<isa::Platform> platform;
  /// Messages that `diagnostics` keeps (its cap). When there are more findings, errors are kept rather than remarks.
  std::size_t kept = base::Diagnostics::kDefaultCap;
};

/// Why a program does not fit a platform.
struct Mismatch {
  isa::Platform platform = isa::Platform::BDW;
  std::vector<base::Diagnostic> reasons;  ///< the first finding of each rule, at most kMismatchReasons
  std::size_t errors = 0;                 ///< all of them
};
inline constexpr std::size_t kMismatchReasons = 4;

/// The platforms whose rules the program keeps.
struct Fit {
  isa::PlatformSet platforms;
  std::vector<Mismatch> mismatches;
};

/// Runs every rule that concerns a program that could be read. Findings are in the order of their places, object by
/// object, each with a note that names the rule's source. Time is linear in the size of the program.
Fit check(const isa::Program& program, const Options& options, base::Diagnostics& diagnostics);

/// The platforms that a program fits, and why the others do not take it.
[[nodiscard]] Fit fitting_platforms(const isa::Program& program);

}  // namespace heddle::verify
