// SPDX-License-Identifier: MIT
#pragma once
// An instruction description in words: what `heddle explain` and the generated reference print.

#include <string>
#include <string_view>
#include <vector>

#include "isa/description.hpp"
#include "verify/rules/rules.hpp"

namespace heddle::verify {

/// Text form: "[(P)] add[.sat] (E) dst src0 src1".
[[nodiscard]] std::string syntax(const isa::InstructionDescription& description);

struct OperandRow {
  std::string name;
  std::string kind;   ///< "destination: variable or indirect"
  std::string types;  ///< "f hf; bf from XeHP_SDV", "-"
  std::string notes;  ///< "may be %null; exec elements"
};
[[nodiscard]] std::vector<OperandRow> operand_rows(const isa::InstructionDescription& description);

struct EncodingRow {
  std::string bytes;  ///< "1", "2", "6", "5 to 9"
  std::string field;
  std::string content;
};
[[nodiscard]] std::vector<EncodingRow> encoding_rows(const isa::InstructionDescription& description);

[[nodiscard]] std::string exec_sizes(const isa::InstructionDescription& description);  ///< "8, 16", "any", "-"
/// Rules of the form's family; those that every instruction obeys are not repeated.
[[nodiscard]] std::vector<const Rule*> family_rules(const isa::InstructionDescription& description);
[[nodiscard]] std::string_view severity_name(base::Severity severity);
[[nodiscard]] std::string severity_text(const Rule& rule);  ///< "error", "error or warning"

}  // namespace heddle::verify
