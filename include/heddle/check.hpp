#pragma once
// Checking a program: the rules over whole kernels, and the platforms that take it. Nothing is executed.

#include <string>
#include <vector>

#include "heddle/program.hpp"

namespace heddle {

struct CheckOptions {
  /// "SKL" ...: judge for this one. Empty: a finding is an error where it holds on every platform, and a program that
  /// fits no platform has the error visa-platform.
  std::string platform;
  Limits limits;
};

struct Misfit {
  std::string platform;
  Diagnostics reasons;  ///< the first of each rule, at most four
};

struct CheckReport {
  Diagnostics findings;                ///< in the order of their places; errors, warnings and notes
  std::vector<std::string> platforms;  ///< that take the program
  std::vector<Misfit> misfits;         ///< why the others do not; empty where a platform was given
  [[nodiscard]] bool ok() const { return !has_errors(findings); }
};

/// Runs every rule. Time is linear in the size of the program. Id: usage-argument (platform).
Result<CheckReport> check(const Program& program, const CheckOptions& options = {});

}  // namespace heddle
