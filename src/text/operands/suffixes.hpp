// SPDX-License-Identifier: MIT
#pragma once
// The suffixes of a mnemonic, as the form's template lists them.

#include <cstdint>
#include <optional>
#include <string_view>

#include "text/lexical/context.hpp"

namespace heddle::text {

class Suffixes : ParserPart {
 public:
  explicit Suffixes(ParseContext& context) : ParserPart(context) {}

  bool suffix(const isa::InstructionDescription& description, const isa::TextElement& e);
  /// After the suffixes of the template: nothing of the mnemonic may be left.
  bool end_of_suffixes(const isa::InstructionDescription& description);

 private:
  [[nodiscard]] bool at_suffix(std::string_view word) const;
  bool missing_suffix(const isa::InstructionDescription& description, const isa::TextElement& e, std::string_view what);
  bool unknown_suffix(const isa::InstructionDescription& description, std::string_view text, Span span);
  bool suffix_value(const isa::InstructionDescription& description, const isa::TextElement& e,
                    std::optional<std::uint64_t>& value);
  bool hex_suffix(const isa::Slot& slot, std::uint64_t& value);
  bool rt_flags(const isa::Slot& slot, std::uint64_t& value);
  bool cache_suffix(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool letters_suffix(const isa::InstructionDescription& description, const isa::Slot& slot, std::uint64_t& value);
  bool channel_suffix(const isa::InstructionDescription& description, std::uint64_t& value);
  bool mask_suffix(const isa::InstructionDescription& description, const isa::Slot& slot, std::uint64_t& mask);
  bool code_suffix(const isa::InstructionDescription& description, const isa::TextElement& e,
                   std::optional<std::uint64_t>& value);
  bool number_suffix(const isa::InstructionDescription& description, const isa::TextElement& e,
                     std::optional<std::uint64_t>& value);
  bool another_number_follows(const isa::InstructionDescription& description, const isa::TextElement& e);
};

}  // namespace heddle::text
