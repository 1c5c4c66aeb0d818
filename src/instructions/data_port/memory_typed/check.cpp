// SPDX-License-Identifier: MIT
// gather4_typed, scatter4_typed: visa-typed-surface.
#include "instructions/data_port/memory_check.hpp"

namespace heddle::instructions::memory_typed {
namespace {

void check(Check& check) {
  check_typed_message(check);
  check_moved_channels(check);
}

constexpr CheckHook kHooks[] = {{"memory_typed", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::memory_typed
