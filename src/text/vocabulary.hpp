// SPDX-License-Identifier: MIT
#pragma once
// Words of the text that are no instructions: attributes, alignments, implicit inputs, keywords (TXT-9 to TXT-17).

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/program.hpp"
#include "text/names.hpp"

namespace heddle::text {

enum class AttributeValue : std::uint8_t { Bool, Integer, String, TargetName };
struct AttributeRule {
  std::string_view name;  ///< the present spelling
  AttributeValue value;
  bool object;  ///< of kernels and functions; else of variables
};
/// The rule of a name or of an old spelling of it, or nullptr.
[[nodiscard]] const AttributeRule* find_attribute(std::string_view name);
[[nodiscard]] const std::vector<std::string_view>& attribute_names();

[[nodiscard]] std::optional<isa::Align> find_alignment(std::string_view word);
[[nodiscard]] std::string_view alignment_name(isa::Align align);

/// LOCAL_SIZE, GROUP_COUNT, LOCAL_ID, PSEUDO_INPUT, UNDEFINED_n with n in 1 ... 31.
[[nodiscard]] std::optional<unsigned> find_implicit(std::string_view word);
/// Empty for a number without a name.
[[nodiscard]] std::string_view implicit_name(unsigned kind);

/// Words that GenX_IR's lexer takes as keywords, so that they cannot name a variable.
[[nodiscard]] bool is_keyword(std::string_view word);
/// Why a mnemonic, a suffix with its dot, or a type of newer tools is not read (TXT-40); empty for all other words.
[[nodiscard]] std::string_view newer_word(std::string_view word);
[[nodiscard]] std::string_view newer_suffix(std::string_view suffix);
[[nodiscard]] std::string_view newer_type(std::string_view type);
/// [A-Za-z_][A-Za-z0-9_]*
[[nodiscard]] bool is_identifier(std::string_view word);

/// A mnemonic of the documents (lower case) as the registry knows it, or the same word.
[[nodiscard]] std::string_view document_mnemonic(std::string_view word);

/// Descriptions whose mnemonic has this first word; empty: none.
[[nodiscard]] std::span<const isa::InstructionDescription* const> descriptions_of(std::string_view word);
[[nodiscard]] const isa::InstructionDescription* label_description();
[[nodiscard]] const isa::InstructionDescription* subroutine_description();

}  // namespace heddle::text
