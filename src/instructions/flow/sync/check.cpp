// SPDX-License-Identifier: MIT
// nbarrier: visa-nbarrier-id.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::sync {
namespace {

void check_number(Check& check) {
  const isa::Operand* id = check.operand("id");
  if (id != nullptr && Check::is_immediate(*id) && id->value > 31)
    check.error("visa-nbarrier-id", id, fmt::format("barrier {} is none of 0 to 31", id->value));
}

void check_signal(Check& check) {
  check_number(check);
  for (const std::string_view slot : {"count", "producers", "consumers"}) {
    const isa::Operand* count = check.operand(slot);
    if (count != nullptr && Check::is_immediate(*count) && (count->value < 1 || count->value > 255))
      check.error("visa-nbarrier-id", count,
                  fmt::format("{} of a barrier is {}, possible are 1 to 255", slot, count->value));
  }
}

constexpr CheckHook kHooks[] = {{"nbarrier.wait", check_number}, {"nbarrier.signal", check_signal}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::sync
