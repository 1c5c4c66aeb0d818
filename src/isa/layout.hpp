// SPDX-License-Identifier: MIT
#pragma once
// Parsers of the two small languages of an InstructionEntry (described in description.hpp). Used by Registry only.

#include <string>

#include "isa/description.hpp"

namespace heddle::isa {

/// Fills slots, fields, parts. Returns an empty string, or what is wrong with the layout.
[[nodiscard]] std::string parse_layout(const InstructionEntry& entry, InstructionDescription& description);
/// Fills text; needs the slots.
[[nodiscard]] std::string parse_template(const InstructionEntry& entry, InstructionDescription& description);
/// Adds the words of an entry or its family.
[[nodiscard]] std::string parse_traits(std::string_view words, Traits& traits);
/// "i q hf f bf@XeHP_SDV", separated by blanks or commas.
[[nodiscard]] std::string parse_types(std::string_view text, std::vector<TypesOn>& types);
[[nodiscard]] std::string parse_platforms(std::string_view text, PlatformSet& platforms);

/// Takes the text up to any of `stops` off the front of `rest`.
[[nodiscard]] std::string_view take_until(std::string_view& rest, std::string_view stops);
[[nodiscard]] bool parse_number(std::string_view text, int base, std::uint64_t& value);

}  // namespace heddle::isa
