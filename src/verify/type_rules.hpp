#pragma once
// Which rule a wrong operand type breaks: most are visa-type, several families have a rule of their own.

#include <string_view>

#include "base/diagnostic.hpp"
#include "isa/description.hpp"

namespace heddle::verify {

struct TypeRule {
  std::string_view id = "visa-type";
  base::Severity severity = base::Severity::Error;
};

/// `nowhere`: the slot takes the type on no platform.
[[nodiscard]] TypeRule type_rule(const isa::InstructionDescription& description, const isa::Slot& slot, isa::Type type,
                                 bool nowhere);

}  // namespace heddle::verify
