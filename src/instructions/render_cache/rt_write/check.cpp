// SPDX-License-Identifier: MIT
// rt_write_3d: visa-rt-*.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::rt_write {
namespace {

using isa::Operand;

// Mode bits (RTW-1)
constexpr std::uint64_t kRti = 0x4, kOMask = 0x10, kStencil = 0x40, kPerSample = 0x200, kSampleIndex = 0x800,
                        kModeBits = 0x1ffc;

// A UW or UB scalar: an immediate or one element.
void check_scalar(Check& check, std::string_view id, const Operand* operand) {
  if (operand == nullptr || Check::is_immediate(*operand)) return;
  if (operand->kind == isa::OperandKind::General && operand->region.w() != 1)
    check.error(id, operand, fmt::format("{} is not one element", check.text(*operand)));
}

void check(Check& check) {
  check_image_surface(check);
  const std::uint64_t mode = check.integer("mode");
  // visa-rt-flag
  if ((mode & ~kModeBits) != 0)
    check.error("visa-rt-flag", check.operand("mode"),
                fmt::format("reserved mode bits {:#x} are set", mode & ~kModeBits));
  // visa-rt-operands
  const isa::InstructionDescription& description = check.description();
  for (std::size_t i = 0; i < description.slots.size() && i < check.operands().size(); ++i) {
    const isa::Condition& condition = description.slots[i].condition;
    if (condition.slot >= 0 && (mode >> condition.bit & 1u) != 0 &&
        check.operands()[i].kind == isa::OperandKind::Absent)
      check.error("visa-rt-operands", nullptr,
                  fmt::format("operand {} is missing, which a flag asks for", description.slots[i].name));
  }
  // visa-rt-rti (row 17, RTW-22)
  const Operand* rti = check.operand("rti");
  check_scalar(check, "visa-rt-rti", rti);
  if (rti != nullptr && Check::is_immediate(*rti) && rti->value > 7)
    check.error("visa-rt-rti", rti, fmt::format("render target {} is none of 0 to 7", rti->value));
  // visa-rt-si, visa-rt-cps
  const Operand* si = check.operand("si");
  check_scalar(check, "visa-rt-si", si);
  if (si != nullptr && (mode & kPerSample) == 0)
    check.warning("visa-rt-si", si, "a sample index without <PS> has no effect");
  const Operand* cps = check.operand("cps");
  check_scalar(check, "visa-rt-cps", cps);
  if (cps != nullptr)
    check.error("visa-rt-cps", cps, "coarse pixel shading came with ICLLP",
                isa::PlatformSet::before(isa::Platform::ICLLP));
  // visa-rt-header
  const Operand* header = check.operand("header");
  const bool other_target = (mode & kRti) != 0 && rti != nullptr && !(Check::is_immediate(*rti) && rti->value == 0);
  if (header != nullptr && header->is_null() && (other_target || (mode & (kPerSample | kOMask | kSampleIndex)) != 0))
    check.warning("visa-rt-header", header, "the header is %null, but the flags need one");
  // visa-rt-stencil (RTW-9)
  if ((mode & kStencil) != 0 && check.exec_size() != 8)
    check.warning("visa-rt-stencil", check.operand("st"),
                  fmt::format("stencil output with execution size {}", check.exec_size()));
  // visa-rt-type, visa-rt-null-color (RTW-10)
  const Operand* first = nullptr;
  for (const std::string_view name : {"s0a", "r", "g", "b", "a"}) {
    const Operand* color = check.operand(name);
    if (color == nullptr) continue;
    if (color->is_null()) {
      if (name != "s0a")
        check.warning("visa-rt-null-color", color, fmt::format("color {} is %null, which is written as 0", name));
      continue;
    }
    const auto type = check.type_of(*color);
    if (!type || (*type != isa::Type::F && *type != isa::Type::HF)) continue;  // visa-rt-type, from the description
    if (first == nullptr)
      first = color;
    else if (check.type_of(*first) != type)
      check.error("visa-rt-type", color,
                  fmt::format("{} is {}, {} is {}", check.text(*color), isa::type_name(*type), check.text(*first),
                              isa::type_name(*check.type_of(*first))));
  }
}

constexpr CheckHook kHooks[] = {{"rt_write", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::rt_write
