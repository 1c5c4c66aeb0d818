// SPDX-License-Identifier: MIT
// urb_write_3d: visa-urb.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::urb {
namespace {

void check(Check& check) {
  const std::uint64_t rows = check.integer("num_out"), offset = check.integer("offset");
  if (rows < 1 || rows > 8)
    check.error("visa-urb", check.operand("num_out"), fmt::format("{} rows, possible are 1 to 8", rows));
  if (offset > 2047)
    check.error("visa-urb", check.operand("offset"), fmt::format("offset {} is none of 0 to 2047", offset));
  if (check.exec_size() != 1 && check.exec_size() != 8)
    check.error("visa-urb", nullptr, fmt::format("urb_write_3d with execution size {}", check.exec_size()));
  // visa-raw-bounds: a dword a channel in each row and in the optional operands
  const std::uint64_t lane = std::uint64_t{check.exec_size()} * 4;
  for (const std::string_view name : {"channel_mask", "handle", "per_slot"})
    if (const isa::Operand* o = check.operand(name)) check.raw_bytes(*o, lane);
  if (const isa::Operand* data = check.operand("data"); data != nullptr && rows <= 8)
    check.raw_bytes(*data, check.channel_bytes(rows, check.exec_size(), 4));
}

constexpr CheckHook kHooks[] = {{"urb", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::urb
