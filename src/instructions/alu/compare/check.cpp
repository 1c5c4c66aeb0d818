// SPDX-License-Identifier: MIT
// cmp: visa-cmp-condition.
#include "instructions/checks.hpp"

namespace heddle::instructions::compare {
namespace {

void check(Check& check) {
  const isa::Operand* condition = check.operand("condition");
  if (condition != nullptr && condition->value > 5)
    check.error("visa-cmp-condition", nullptr, "the comparison has no condition");
}

constexpr CheckHook kHooks[] = {{"cmp", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::compare
