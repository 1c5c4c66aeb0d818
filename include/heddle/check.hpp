// SPDX-License-Identifier: MIT
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

struct Mismatch {
  std::string platform;
  Diagnostics reasons;       ///< the first of each rule, at most four
  std::uint64_t errors = 0;  ///< all of them
};

struct CheckReport {
  Diagnostics findings;                ///< in the order of their places; errors, warnings and notes
  bool checked = true;                 ///< false: what could be read is too little for the rules; no platform is named
  std::vector<std::string> platforms;  ///< that take the program
  std::vector<Mismatch> mismatches;    ///< why the others do not; of a platform that was given, why it does not
  [[nodiscard]] bool ok() const { return !has_errors(findings); }
  /// `platforms` in few words: "all platforms", "ICLLP and later", "SKL to DG2", "none".
  [[nodiscard]] std::string fits() const;
};

/// Runs every rule. Time is linear in the size of the program. Id: usage-argument (platform).
Result<CheckReport> check(const Program& program, const CheckOptions& options = {});

/// Reads and checks the content of a file, text or a container: the errors of reading are among the findings, and what
/// could be read in spite of them is checked too. `file` names it in messages. Ids: usage-argument (platform),
/// limit-input.
Result<CheckReport> check_source(std::string content, const std::string& file, const ProgramOptions& options = {});

}  // namespace heddle
