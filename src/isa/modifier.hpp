// SPDX-License-Identifier: MIT
#pragma once
// The text of source modifiers and regions: what the printer and messages show.

#include <string>
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

/// "<1;1,0>" of a source, "<1>" of a destination; parts that are not there are left out. For messages.
[[nodiscard]] std::string region_text(Region region, bool destination);

}  // namespace heddle::isa
