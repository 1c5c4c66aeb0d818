// svm_*: visa-svm-exec, sizes.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::memory_svm {

void check(Check& check) {
  const isa::InstructionDescription& description = check.description();
  // visa-svm-exec
  if (description.has_exec && check.exec_size() == 32)
    check.error("visa-svm-exec", nullptr, fmt::format("{} with execution size 32", description.mnemonic));
  // visa-gather-size
  if (const isa::Operand* mask = check.operand("mask"); mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-gather-size", mask, "no channel is moved");
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

}  // namespace heddle::instructions::memory_svm
