// SPDX-License-Identifier: MIT
#pragma once
// Random instructions of every row, over an object that declares enough of everything.

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "isa/description.hpp"
#include "isa/program.hpp"

namespace heddle::test {

using isa::Operand;
using isa::OperandKind;

inline isa::Object object_with_everything() {
  isa::Object object;
  object.name = "k";
  constexpr isa::Type kTypes[] = {isa::Type::F,  isa::Type::UD, isa::Type::UW,
                                  isa::Type::HF, isa::Type::UQ, isa::Type::UB};
  for (unsigned i = 0; i < 60; ++i)
    object.variables.push_back({.name = "V" + std::to_string(i), .type = kTypes[i % 6], .elements = 4096});
  for (unsigned i = 0; i < 40; ++i) {
    const auto name = [&](const char* prefix) {
      return isa::PlainVariable{.name = prefix + std::to_string(i), .elements = 16};
    };
    object.addresses.push_back(name("A"));
    object.predicates.push_back(name("P"));
    object.samplers.push_back(name("S"));
    object.surfaces.push_back(name("T"));
    object.labels.push_back(
        {.name = "L" + std::to_string(i), .kind = i % 4 == 3 ? isa::LabelKind::FcCall : isa::LabelKind::Block});
    object.strings.push_back("text" + std::to_string(i));
  }
  return object;
}

class InstructionGenerator {
 public:
  explicit InstructionGenerator(unsigned seed) : random_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  std::uint64_t integer(const isa::Slot& slot) {
    if (slot.is_signed)
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(random_())));
    std::uint64_t value = random_();
    if (slot.bits < 32)
      value &= (std::uint64_t{1} << slot.bits) - 1;
    else
      value &= 0xffffffffu;
    if (slot.valid_bits != ~std::uint64_t{0}) return value & slot.valid_bits;
    if (slot.codes == nullptr) return value;
    return slot.codes->codes[below(static_cast<unsigned>(slot.codes->codes.size()))].code;
  }

  Operand operand(const isa::Slot& slot, const isa::InstructionDescription& description) {
    Operand o;
    switch (slot.kind) {
      case isa::SlotKind::Integer:
      case isa::SlotKind::ChannelMask:
        o.kind = OperandKind::Integer;
        o.value = integer(slot);
        return o;
      case isa::SlotKind::Raw:
        o.kind = OperandKind::Raw;
        o.id = below(4) == 0 && !slot.newer_only ? 0 : 32 + below(60);
        o.offset = o.id == 0 ? 0 : static_cast<std::int32_t>(below(65536));
        return o;
      case isa::SlotKind::Surface:
        o.kind = OperandKind::Surface;
        o.id = below(46);
        return o;
      case isa::SlotKind::Sampler:
        o.kind = OperandKind::Sampler;
        o.id = below(40);
        return o;
      case isa::SlotKind::Label:
        o.kind = OperandKind::Label;
        o.id = 4 * below(10) + (slot.label_kind == isa::LabelKind::FcCall ? 3 : below(3));
        return o;
      case isa::SlotKind::String:
        o.kind = OperandKind::String;
        o.id = below(40);
        return o;
      case isa::SlotKind::Variable:
        for (const OperandKind kind : {OperandKind::General, OperandKind::Address, OperandKind::Predicate})
          if (slot.kinds.has(kind)) o.kind = kind;
        o.id = o.kind == OperandKind::General ? 32 + below(60) : 1 + below(39);
        return o;
      case isa::SlotKind::Vector:
        return vector(slot, description);
    }
    return o;
  }

 private:
  isa::Region region(const isa::Slot& slot) {
    if (slot.access == isa::Access::Write) return {static_cast<std::uint16_t>(below(8) << 8)};
    return {static_cast<std::uint16_t>(below(8) | below(8) << 4 | below(8) << 8)};
  }
  /// Sources are negated and so on, the first destination saturates.
  isa::Modifier modifier(const isa::Slot& slot, const isa::InstructionDescription& description) {
    using isa::Modifier;
    if (slot.access != isa::Access::Write) {
      constexpr Modifier kSource[] = {Modifier::None, Modifier::Abs, Modifier::Neg, Modifier::NegAbs, Modifier::Not};
      return kSource[below(5)];
    }
    const auto first = std::ranges::find_if(description.slots, &isa::Slot::is_saturable);
    return first != description.slots.end() && &*first == &slot && below(2) == 0 ? Modifier::Sat : Modifier::None;
  }
  Operand vector(const isa::Slot& slot, const isa::InstructionDescription& description) {
    constexpr OperandKind kKinds[] = {OperandKind::General,  OperandKind::Address, OperandKind::Predicate,
                                      OperandKind::Indirect, OperandKind::State,   OperandKind::Immediate,
                                      OperandKind::AddressOf};
    Operand o;
    do o.kind = kKinds[below(7)];
    while (!slot.kinds.has(o.kind) || (o.kind == OperandKind::AddressOf && !slot.decodes_address_of));
    if (o.kind == OperandKind::General || o.kind == OperandKind::Indirect) o.modifier = modifier(slot, description);
    switch (o.kind) {
      case OperandKind::General:
        o.id = 32 + below(60);
        o.row = static_cast<std::uint8_t>(random_());
        o.col = static_cast<std::uint8_t>(random_());
        o.region = region(slot);
        if (slot.decodes_address_of) o.region = isa::Region::source(8, 8, 1);
        break;
      case OperandKind::Address:
        o.id = below(40);
        o.row = static_cast<std::uint8_t>(below(16));
        o.col = static_cast<std::uint8_t>(below(6));
        break;
      case OperandKind::Predicate:
        o.id = 1 + below(40);
        break;
      case OperandKind::Indirect:
        o.id = below(40);
        o.row = static_cast<std::uint8_t>(below(16));
        o.offset = static_cast<std::int16_t>(random_());
        o.type = static_cast<isa::Type>(below(16));
        o.region = region(slot);
        break;
      case OperandKind::State:
        o.state = static_cast<isa::StateClass>(below(2));
        o.id = below(40);
        o.offset = static_cast<std::int32_t>(below(256));
        break;
      case OperandKind::Immediate: {
        o.type = static_cast<isa::Type>(below(16));
        const bool wide = o.type == isa::Type::DF || o.type == isa::Type::Q || o.type == isa::Type::UQ;
        o.value = wide ? std::uint64_t{random_()} << 32 | random_() : random_();
        break;
      }
      case OperandKind::AddressOf:
        o.id = 32 + below(60);
        o.offset = static_cast<std::int32_t>(8 * below(255 * 4));
        break;
      default:
        break;
    }
    return o;
  }
  std::mt19937 random_;
};

/// Whether a slot has one value only, its default: the text has no place for it, or the address model no use (ENC-36).
inline bool is_fixed(const isa::InstructionDescription& description, const isa::Slot& slot,
                     std::span<const Operand> before) {
  const auto index = static_cast<std::size_t>(&slot - description.slots.data());
  if ((description.shown >> index & 1u) == 0 || slot.name == "chmask") return true;
  if (!slot.name.starts_with("surface")) return false;
  const int model = description.slot_index("addr_type");
  if (model < 0) return false;
  const std::uint64_t value = before[static_cast<std::size_t>(model)].value;
  return value < 2 || value > 4;
}

inline Operand default_operand(const isa::Slot& slot, std::span<const Operand> before) {
  if (slot.copy_of >= 0) return before[static_cast<std::size_t>(slot.copy_of)];
  const auto value = static_cast<std::uint64_t>(slot.default_value);
  switch (slot.kind) {
    case isa::SlotKind::Raw:
      return {.kind = OperandKind::Raw};
    case isa::SlotKind::Vector:
      return {.kind = OperandKind::Immediate, .value = value};
    default:
      return {.kind = OperandKind::Integer, .value = value};
  }
}

/// A random instruction of a form, appended to the object.
inline void append(isa::Object& object, const isa::InstructionDescription& description, bool newer,
                   InstructionGenerator& generate) {
  isa::Instruction instruction;
  instruction.description = &description;
  instruction.first_operand = static_cast<std::uint32_t>(object.operands.size());
  const bool gather = std::any_of(description.fields.begin(), description.fields.end(),
                                  [](const isa::Field& f) { return f.kind == isa::FieldKind::ExecGather; });
  instruction.exec.bits = description.traits.fixed_exec;
  if (description.has_exec) {
    constexpr std::uint8_t kGather[] = {3, 4, 0};
    instruction.exec.bits =
        static_cast<std::uint8_t>((gather ? kGather[generate.below(3)] : generate.below(6)) | generate.below(16) << 4);
  }
  if (description.has_predicate && (newer || !description.predicate_newer_only) && generate.below(2) != 0)
    instruction.predicate.bits =
        static_cast<std::uint16_t>((1 + generate.below(40)) | generate.below(3) << 13 | generate.below(2) << 15);
  for (const isa::Slot& slot : description.slots) {
    if (slot.repeated) {
      for (unsigned n = 1 + generate.below(9); n > 0; --n)
        object.operands.push_back(generate.operand(slot, description));
      continue;
    }
    Operand o;
    const std::span<const Operand> before = std::span(object.operands).subspan(instruction.first_operand);
    const bool there = slot.condition.slot < 0 ||
                       (before[static_cast<std::size_t>(slot.condition.slot)].value >> slot.condition.bit & 1u) != 0;
    if (there && (newer || !slot.newer_only))
      o = is_fixed(description, slot, before) ? default_operand(slot, before) : generate.operand(slot, description);
    if (slot.name == "vnni") o.value &= 1u;
    if (slot.name == "scale" && o.value == 0) o.value = slot.default_value != 0 ? 1u : 0u;
    if (slot.name == "elems" && slot.codes == nullptr && o.value == 0) o.value = 1;
    object.operands.push_back(o);
  }
  const std::span<const Operand> all = std::span(object.operands).subspan(instruction.first_operand);
  if (description.traits.predicate_copy &&
      std::ranges::any_of(all, [](const Operand& o) { return o.kind == OperandKind::Predicate; }))
    instruction.exec.bits = 0x80;
  if (!description.text_has_exec) instruction.exec.bits = description.traits.fixed_exec;
  for (Operand& o : std::span(object.operands).subspan(instruction.first_operand)) {  // an origin without region
    const auto slot = static_cast<std::int16_t>(&o - &object.operands[instruction.first_operand]);
    for (const isa::TextElement& e : description.text)
      if (e.kind == isa::TextKind::Origin && e.slot == slot)
        o.modifier = isa::Modifier::None, o.region = isa::Region::source(1, 1, 0);
  }
  instruction.operand_count = static_cast<std::uint16_t>(object.operands.size() - instruction.first_operand);
  object.instructions.push_back(instruction);
}

}  // namespace heddle::test
