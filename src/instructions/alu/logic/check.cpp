// SPDX-License-Identifier: MIT
// Logic on predicates: all operands are predicates or none.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::logic {
namespace {

void check(Check& check) {
  const isa::Operand *predicate = nullptr, *value = nullptr;
  for (const isa::Operand& o : check.operands()) {
    if (o.kind == isa::OperandKind::Predicate)
      predicate = &o;
    else if (o.kind != isa::OperandKind::Absent && o.kind != isa::OperandKind::Integer)
      value = &o;
  }
  if (predicate != nullptr && value != nullptr)
    check.error("visa-operand-class", value,
                fmt::format("{} mixes predicates with the value {}", check.description().mnemonic, check.text(*value)));
}

constexpr CheckHook kHooks[] = {{"logic", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::logic
