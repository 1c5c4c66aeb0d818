// SPDX-License-Identifier: MIT
#pragma once
// What two programs have in common and what not, as text and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "tools/diff/align.hpp"
#include "tools/diff/first_difference.hpp"
#include "tools/inputs/visa_file.hpp"
#include "verify/pressure.hpp"

namespace heddle::tools {

/// A kernel or function that both have.
struct ObjectDiff {
  Sequence a, b;
  Alignment alignment;
  std::vector<std::string> declarations;  ///< what differs beside the instructions, a sentence each
  std::optional<verify::Pressure> pressure_a, pressure_b;
};

struct ProgramDiff {
  const VisaFile* a = nullptr;
  const VisaFile* b = nullptr;
  std::vector<ObjectDiff> objects;
  std::vector<std::string> only_a, only_b;  ///< objects that one of them has
  bool ran = false;
  std::optional<FirstDifference> first;
  std::vector<std::string> outputs;  ///< saved ones that differ

  [[nodiscard]] bool same_instructions() const;
  [[nodiscard]] bool same() const { return same_instructions() && !first && outputs.empty(); }
};

/// What differs of declarations: variables that stand for each other, inputs, attributes.
[[nodiscard]] std::vector<std::string> compare_declarations(const Sequence& a, const Sequence& b,
                                                            const Correspondence& variables);

struct ReportOptions {
  unsigned context = 3;  ///< equal lines around what differs
  bool color = false, quiet = false;
};
/// Unified, with the lines of both; behind it what the runs had to say.
[[nodiscard]] std::string diff_text(const ProgramDiff& diff, const ReportOptions& options);
/// One JSON object, with a newline.
[[nodiscard]] std::string diff_json(const ProgramDiff& diff);

/// The instructions of an object with the bytes that are live behind each; the most are marked.
[[nodiscard]] std::string pressure_text(const isa::Program& program, const isa::Object& object,
                                        const verify::Pressure& pressure, unsigned grf_bytes);

}  // namespace heddle::tools
