#pragma once
// The text of a source modifier: what the printer and messages show.

#include <string_view>

#include "isa/operand.hpp"

namespace heddle::isa {

/// "(abs)", "(-)", "(-abs)", "(~)"; empty for none and saturation.
[[nodiscard]] constexpr std::string_view modifier_text(Modifier modifier) {
  switch (modifier) {
    case Modifier::Abs:
      return "(abs)";
    case Modifier::Neg:
      return "(-)";
    case Modifier::NegAbs:
      return "(-abs)";
    case Modifier::Not:
      return "(~)";
    case Modifier::None:
    case Modifier::Sat:
      break;
  }
  return {};
}

}  // namespace heddle::isa
