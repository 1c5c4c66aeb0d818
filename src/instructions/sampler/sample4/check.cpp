// SPDX-License-Identifier: MIT
// sample4: visa-sample4-*, and the rules of all sampler messages.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::sample4 {
namespace {

void check(Check& check) {
  constexpr unsigned kTexels = 4;  // GA-7: always four channels
  check_sampler_message(check, kTexels);
  // visa-sample4-channel (row 37)
  if (const std::uint64_t channel = check.integer("channel"); channel > 3)
    check.error("visa-sample4-channel", check.operand("channel"),
                fmt::format("channel {} is none of R, G, B, A (0 to 3)", channel));
  // visa-sample4-platform
  const isa::PlatformSet missing = check.platforms().without(check.description().platforms);
  if (check.description().traits.soft_platform && !missing.empty())
    check.warning("visa-sample4-platform", nullptr,
                  fmt::format("the hardware of {} has no {}", missing.describe(), check.description().mnemonic),
                  missing);
}

constexpr CheckHook kHooks[] = {{"sample4", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::sample4
