#pragma once
// The words for a value that was never written.

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "machine/decoded.hpp"

namespace heddle::machine {

/// `name`: of the operand's variable. An input of the kernel is undefined only where the stage before left it so; what
/// a render-target write reads is an output.
[[nodiscard]] inline std::string undefined_text(const PreparedObject& object, const Decoded& instruction,
                                                const Operand& operand, std::string_view name) {
  const bool is_input = std::ranges::any_of(object.object->inputs, [&](const isa::Input& input) {
    if (input.kind() != isa::InputKind::General) return false;
    const VariablePlacement* place = object.layout.place(input.id);
    return place != nullptr && place->root_begin == operand.root_begin && operand.root_end > operand.root_begin;
  });
  if (is_input) return fmt::format("input {} is read, but the stage before has not written it", name);
  if (instruction.description->traits.target_write)
    return fmt::format("output {} is stored, but nothing was written to it", name);
  return fmt::format("{} is read before anything was written to it", name);
}

}  // namespace heddle::machine
