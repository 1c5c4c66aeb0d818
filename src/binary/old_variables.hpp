// SPDX-License-Identifier: MIT
#pragma once
// Numbers of predefined variables before container version 3.4 (ENC-38).

#include <cstdint>
#include <optional>

#include "isa/program.hpp"

namespace heddle::binary {

/// The present number of a general variable; nothing for a predefined one whose old number is not known.
[[nodiscard]] constexpr std::optional<std::uint32_t> present_variable(std::uint32_t id, unsigned version_key) {
  if (version_key >= 34 || id >= isa::kFirstVariable || id <= 2) return id;
  switch (id) {
    case 7:
      return 3;  // %group_id_x
    case 8:
      return 4;  // %group_id_y
    case 11:
      return 6;  // %tsc
    case 12:
      return 7;  // %r0
    case 23:
      return 5;  // %group_id_z
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::binary
