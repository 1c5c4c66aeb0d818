// SPDX-License-Identifier: MIT
// Rules: ENC-36.
#include "binary/hidden_fields.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace heddle::binary {
namespace {

using isa::InstructionDescription;
using isa::Modifier;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

bool has_modifiers(const Operand& o) { return o.kind == OperandKind::General || o.kind == OperandKind::Indirect; }

/// Destinations saturate, sources are negated; only the first destination of an instruction has a suffix .sat.
bool modifier_is_shown(const InstructionDescription& description, const Slot& slot, const Operand& o) {
  if (o.modifier == Modifier::None) return true;
  if (!has_modifiers(o)) return false;
  if (slot.access != isa::Access::Write) return o.modifier != Modifier::Sat;
  return o.modifier == Modifier::Sat && &slot == &*std::ranges::find_if(description.slots, &Slot::is_saturable);
}

/// A destination has one region part, the horizontal stride.
bool region_is_shown(const Slot& slot, const Operand& o) {
  return slot.access != isa::Access::Write || !has_modifiers(o) || (o.region.bits & 0xffu) == 0;
}

/// Composite elements show the origin of a variable without its region.
bool origin_is_plain(const Operand& o) {
  return o.kind == OperandKind::General && o.modifier == Modifier::None && o.region == isa::Region::source(1, 1, 0);
}

std::string hidden_in_operand(const InstructionDescription& description, const Slot& slot, const Operand& o) {
  if (!modifier_is_shown(description, slot, o)) return fmt::format("{} has a modifier that it cannot have", slot.name);
  if (!region_is_shown(slot, o))
    return fmt::format("{} has more than a horizontal stride, which is all that a destination has", slot.name);
  return {};
}

/// LSC data of four channels, rectangles and addresses spell out some of their fields, which leaves codes without text.
std::string hidden_in_element(const InstructionDescription& description, const TextElement& e,
                              std::span<const Operand> operands) {
  const auto part = [&](std::size_t n) -> const Operand& { return operands[static_cast<std::size_t>(e.parts[n])]; };
  const auto name = [&](std::size_t n) { return description.slots[static_cast<std::size_t>(e.parts[n])].name; };
  const auto must_be_default = [&](std::size_t n) {
    return e.parts[n] < 0 || description.has_default(static_cast<std::size_t>(e.parts[n]), operands)
               ? std::string()
               : fmt::format("{} is set, which has no meaning here", name(n));
  };
  const auto model = [&](std::size_t type, std::size_t surface, std::size_t index) {
    constexpr std::uint64_t kFlat = 1, kBss = 2, kBti = 4, kSurf = 6;
    const std::uint64_t value = part(type).value;
    if ((value >= kBss && value <= kBti) || value == kSurf) return std::string();
    std::string found = value == kFlat ? std::string() : must_be_default(surface);  // flat: the base of the addresses
    return found.empty() ? must_be_default(index) : found;
  };
  switch (e.kind) {
    case TextKind::Origin:
      return origin_is_plain(part(0)) ? std::string() : fmt::format("{} has a region or a modifier", name(0));
    case TextKind::LscData:
      return must_be_default(4);
    case TextKind::LscQuad:
      return part(2).value == 0 ? "no channel is selected" : must_be_default(3);
    case TextKind::LscBlock:
      return part(6).value > 1 ? fmt::format("{} is {}, not 0 or 1", name(6), part(6).value) : std::string();
    case TextKind::LscAddress:
    case TextKind::LscStrided:
      return part(2).value == 0 ? fmt::format("{} is 0", name(2)) : model(1, 5, 6);
    case TextKind::LscTyped:
      return model(1, 3, 7);
    case TextKind::LscSurface:
      return model(1, 0, 2);
    case TextKind::LscRowsAddress:
      return model(2, 3, 4);
    default:
      return {};
  }
}

}  // namespace

std::string hidden_fields(const InstructionDescription& description, isa::Exec exec,
                          std::span<const Operand> operands) {
  const std::size_t fixed = description.fixed_slots();
  for (std::size_t n = 0; n < operands.size(); ++n)
    if (std::string found = hidden_in_operand(description, *description.slot_of(n), operands[n]); !found.empty())
      return found;
  for (std::size_t n = 0; n < fixed; ++n)
    if ((description.shown >> n & 1u) == 0 && !description.has_default(n, operands))
      return fmt::format("{} is set, which has no meaning here", description.slots[n].name);
  for (const TextElement& e : description.text)
    if (std::string found = hidden_in_element(description, e, operands); !found.empty()) return found;
  if (description.has_exec && !description.text_has_exec && exec.bits != description.traits.fixed_exec)
    return "an execution size is set, which has no meaning here";
  if (description.traits.predicate_copy && exec.bits != 0x80 &&
      std::ranges::any_of(operands, [](const Operand& o) { return o.kind == OperandKind::Predicate; }))
    return "a copy of a predicate has another execution size than (M1_NM, 1)";
  return {};
}

}  // namespace heddle::binary
