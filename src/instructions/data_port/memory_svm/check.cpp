// SPDX-License-Identifier: MIT
// svm_*: visa-svm-exec, sizes.
#include <fmt/format.h>

#include "instructions/data_port/memory_check.hpp"

namespace heddle::instructions::memory_svm {
namespace {

void check(Check& check) {
  const isa::InstructionDescription& description = check.description();
  check_svm_execution(check);
  check_moved_channels(check);
  // visa-oword-size
  if (const isa::Operand* size = check.operand("size"); size != nullptr && size->value > 3)
    check.error("visa-oword-size", size, fmt::format("{} of {} owords", description.mnemonic, check.number("size")));
  // visa-raw-bounds of the scattered forms: blocks of one byte come in a dword, several bytes share it; others are
  // channels
  const isa::Operand* data = check.operand("dst") != nullptr ? check.operand("dst") : check.operand("src");
  if (data == nullptr || description.slot("block") == nullptr) return;
  const unsigned block = check.number("block"), count = check.number("num");
  if (block == 0 || count == 0) return;
  const unsigned channels = block == 1 ? (count + 3) / 4 : count;
  check.raw_bytes(*data, check.channel_bytes(channels, check.exec_size(), block == 8 ? 8 : 4));
}

constexpr CheckHook kHooks[] = {{"memory_svm", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::memory_svm
