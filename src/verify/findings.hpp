// SPDX-License-Identifier: MIT
#pragma once
// Collects what the rules of one object find and decides what is reported: a finding that holds on every judged
// platform becomes a diagnostic, an error that holds on some of them says why these do not fit.

#include <map>
#include <set>

#include "instructions/check.hpp"
#include "verify/verify.hpp"

namespace heddle::verify {

class Findings {
 public:
  Findings(const isa::Program& program, isa::PlatformSet judged, base::Diagnostics& out,
           std::size_t kept = base::Diagnostics::kDefaultCap)
      : program_(program), judged_(judged), out_(out), kept_(kept) {}

  [[nodiscard]] const isa::Program& program() const { return program_; }
  [[nodiscard]] isa::PlatformSet judged() const { return judged_; }
  /// The judged platforms with registers of this size.
  [[nodiscard]] isa::PlatformSet with_grf(unsigned bytes) const;

  void add(std::string_view id, base::Severity severity, base::Place place, std::string message,
           isa::PlatformSet on = isa::PlatformSet::all(), std::vector<base::Note> notes = {});
  void add(const isa::Object& object, const isa::Instruction& instruction, const instructions::Finding& finding);

  /// Hands the object's findings on, in the order of their places.
  void flush();
  /// After the last object.
  [[nodiscard]] Fit finish();

 private:
  /// Counts an error against platforms; those that do not have a reason with this id yet are returned.
  isa::PlatformSet count(isa::PlatformSet platforms, std::string_view id);

  const isa::Program& program_;
  isa::PlatformSet judged_;
  base::Diagnostics& out_;
  std::size_t kept_;
  std::vector<base::Diagnostic> pending_;
  std::map<isa::Platform, Mismatch> mismatches_;
  std::set<std::string_view> remarked_;  ///< rules of remarks whose source was said
};

}  // namespace heddle::verify
