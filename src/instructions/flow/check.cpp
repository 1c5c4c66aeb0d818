// SPDX-License-Identifier: MIT
// switchjmp: visa-switchjmp.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::flow {
namespace {

void check_switch(Check& check) {
  const std::size_t labels = check.parameters().size();
  if (labels < 1 || labels > 32)
    check.error("visa-switchjmp", nullptr, fmt::format("{} labels, possible are 1 to 32", labels));
  if (check.exec_size() != 1)
    check.error("visa-switchjmp", nullptr, fmt::format("switchjmp with execution size {}", check.exec_size()));
  const isa::Operand* index = check.operand("index");
  if (index != nullptr && index->kind == isa::OperandKind::General && index->region.w() != 1)
    check.error("visa-switchjmp", index, fmt::format("the index {} is not one element", check.text(*index)));
}

constexpr CheckHook kHooks[] = {{"switchjmp", check_switch}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::flow
