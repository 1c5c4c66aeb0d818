// SPDX-License-Identifier: MIT
// raw_send, raw_sends: visa-send-*.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::send {
namespace {

using isa::Operand;

void check_length(Check& check, std::string_view slot, std::uint64_t least, std::uint64_t most) {
  const Operand* length = check.operand(slot);
  if (length != nullptr && (length->value < least || length->value > most))
    check.error("visa-send-length", length,
                fmt::format("{} is {}, possible are {} to {}", slot, length->value, least, most));
}

// An immediate descriptor states lengths: message 28:25, response 24:20; the extended one of raw_sends 9:6.
void check_stated(Check& check, const Operand* descriptor, unsigned shift, unsigned width, std::string_view slot) {
  const Operand* length = check.operand(slot);
  if (descriptor == nullptr || length == nullptr || !Check::is_immediate(*descriptor)) return;
  const std::uint64_t stated = descriptor->value >> shift & ((1u << width) - 1u);
  if (stated > length->value)
    check.error("visa-send-length", length,
                fmt::format("{} is {}, the descriptor says {}", slot, length->value, stated));
}

void check(Check& check) {
  const bool split = check.description().slot("nsrc0") != nullptr;
  // visa-send-length
  const Operand* descriptor = check.operand("desc");
  if (split) {
    check_length(check, "nsrc0", 1, 32);
    check_length(check, "nsrc1", 0, 32);
    check_length(check, "ndst", 0, 32);
    check_stated(check, descriptor, 25, 4, "nsrc0");
    check_stated(check, check.operand("exdesc"), 6, 4, "nsrc1");
  } else {
    check_length(check, "nsrc", 1, 15);
    check_length(check, "ndst", 0, 16);
    check_stated(check, descriptor, 25, 4, "nsrc");
  }
  check_stated(check, descriptor, 20, 5, "ndst");
  // visa-send-bounds
  constexpr std::pair<std::string_view, std::string_view> kPayloads[] = {
      {"src", "nsrc"}, {"src0", "nsrc0"}, {"src1", "nsrc1"}, {"dst", "ndst"}};
  for (const auto& [payload, length] : kPayloads)
    if (const Operand* o = check.operand(payload))
      check.raw_bytes(*o, check.integer(length) * check.grf(), "visa-send-bounds");
}

constexpr CheckHook kHooks[] = {{"send", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::send
