// SPDX-License-Identifier: MIT
// gather, scatter, the scaled forms, qw_gather, qw_scatter: visa-gather-size, visa-surface-special.
#include <fmt/format.h>

#include "instructions/data_port/memory_check.hpp"

namespace heddle::instructions::memory_scattered {
namespace {

void check_message(Check& check) {
  const isa::InstructionDescription& description = check.description();
  check_memory_surface(check);
  // visa-gather-size
  if (check.exec_size() == 32)
    check.error("visa-gather-size", nullptr, fmt::format("{} of 32 channels needs PVC", description.mnemonic),
                isa::PlatformSet::all().without(platforms_with_simd32()));
  for (const std::string_view slot : {"size", "block", "num"}) {
    const isa::Operand* code = check.operand(slot);
    if (code != nullptr && check.number(slot) == 0)
      check.error("visa-gather-size", code, fmt::format("{} code {} means nothing", slot, code->value));
  }
  check_moved_channels(check);
}

void check(Check& check) {
  check_message(check);
  // visa-raw-bounds: elements of up to four bytes come in a dword each, eight bytes as two channels
  const isa::Operand* data = check.operand("dst") != nullptr ? check.operand("dst") : check.operand("src");
  if (data == nullptr) return;
  const unsigned bytes = check.number("size") != 0 ? check.number("size") : check.number("num");
  if (check.description().slot("mask") != nullptr || bytes == 0) return;
  check.raw_bytes(*data, check.channel_bytes(bytes > 4 ? 2 : 1, check.exec_size(), 4));
}

// The extent of their data stands in the layout.
constexpr CheckHook kHooks[] = {
    {"memory_scattered", check}, {"qw_gather", check_message}, {"qw_scatter", check_message}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::memory_scattered
