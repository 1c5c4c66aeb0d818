// SPDX-License-Identifier: MIT
// visa-type-mix, visa-type-sign, visa-bf-op: the types of an ALU instruction together.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verify/phases.hpp"

namespace heddle::verify {

using instructions::Check;
using isa::Operand;
using isa::OperandKind;
using isa::Type;

namespace {

struct Seen {
  const Operand *integer = nullptr, *floating = nullptr, *bf = nullptr, *df = nullptr, *not_f_or_bf = nullptr,
                *narrower_float = nullptr;
  void add(const Operand& o, Type t) {
    const auto first = [&](const Operand*& at) {
      if (at == nullptr) at = &o;
    };
    if (isa::is_float(t))
      first(floating);
    else
      first(integer);
    if (t == Type::BF)
      first(bf);
    else if (t != Type::F && t != Type::VF)
      first(not_f_or_bf);
    if (t == Type::DF)
      first(df);
    else if (isa::is_float(t))
      first(narrower_float);
  }
};

// visa-type-sign: factors of one signedness
void check_same_sign(Check& check) {
  const Operand *first = check.operand("src0"), *second = check.operand("src1");
  const auto a = first != nullptr ? check.type_of(*first) : std::nullopt,
             b = second != nullptr ? check.type_of(*second) : std::nullopt;
  if (a && b && isa::is_signed(*a) != isa::is_signed(*b))
    check.note(
        "visa-type-sign", second,
        fmt::format("{} multiplies {} by {}", check.description().mnemonic, isa::type_name(*a), isa::type_name(*b)));
}

// visa-type-sign (row 32)
void check_sign(Check& check, bool is_signed) {
  for (const Operand& o : check.operands()) {
    if (o.kind != OperandKind::General && o.kind != OperandKind::Indirect) continue;
    const auto type = check.type_of(o);
    if (!type || !isa::is_integer(*type) || isa::is_signed(*type) == is_signed) continue;
    check.note("visa-type-sign", &o,
               fmt::format("{} is for {} types, not {}", check.description().mnemonic,
                           is_signed ? "signed" : "unsigned", isa::type_name(*type)));
    break;
  }
}

}  // namespace

void check_type_mix(Check& check) {
  const isa::InstructionDescription& description = check.description();
  if (!description.traits.alu || description.traits.type_mix == isa::TypeMix::Free) return;
  // What has a wrong type already says nothing about the others.
  constexpr std::array<std::string_view, 4> kWrongType = {"visa-type", "visa-math-type", "visa-imm-type", "visa-sad"};
  for (const Operand& o : check.operands())
    if (std::ranges::any_of(kWrongType, [&](std::string_view id) { return check.reported(o, id); })) return;
  Seen sources, all;
  const Operand* destination = nullptr;
  std::optional<Type> destination_type;
  for (std::size_t i = 0; i < check.operands().size(); ++i) {
    const Operand& o = check.operands()[i];
    const isa::Slot* slot = description.slot_of(i);
    if (slot == nullptr || slot->kind != isa::SlotKind::Vector) continue;
    if (o.kind != OperandKind::General && o.kind != OperandKind::Indirect && o.kind != OperandKind::Immediate) continue;
    const auto type = check.type_of(o);
    if (!type || *type == Type::Bool) continue;
    if (slot->access == isa::Access::Write) {
      if (destination == nullptr) destination = &o, destination_type = type;
    } else {
      sources.add(o, *type);
    }
    all.add(o, *type);
  }
  const std::string_view word = description.mnemonic;
  const isa::TypeMix mix = description.traits.type_mix;
  const bool converted_result = mix == isa::TypeMix::ConvertedResult || mix == isa::TypeMix::Comparison;
  const auto mixed = [&](const Operand* where, std::string_view what) {
    check.error("visa-type-mix", where, fmt::format("{} {}", word, what));
  };
  if (sources.integer != nullptr && sources.floating != nullptr) {
    mixed(std::max(sources.integer, sources.floating), "has an integer and a floating source");
  } else if (destination != nullptr && destination_type && !converted_result) {
    const bool floating = isa::is_float(*destination_type);
    if (!floating && sources.floating != nullptr)
      mixed(destination, "has floating sources and an integer destination");
    else if (floating && sources.integer != nullptr)
      mixed(destination, "has integer sources and a floating destination");
  }
  // df stays with df
  const Seen& together = converted_result ? sources : all;
  if (together.df != nullptr && together.narrower_float != nullptr)
    mixed(together.narrower_float, "mixes df with a narrower type");
  // visa-bf-op: bf goes with f
  if (all.bf != nullptr && all.not_f_or_bf != nullptr && mix != isa::TypeMix::Comparison)
    for (const std::string_view id : {"visa-type-mix", "visa-bf-op"})
      check.error(id, all.not_f_or_bf, fmt::format("{} has bf beside a type other than f", word));
  if (description.traits.signs == isa::Signs::Same)
    check_same_sign(check);
  else if (destination_type && description.traits.signs != isa::Signs::Any)
    check_sign(check, description.traits.signs == isa::Signs::Signed);
}

}  // namespace heddle::verify
