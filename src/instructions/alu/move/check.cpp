// SPDX-License-Identifier: MIT
// mov of predicates, movs, fcvt, srnd.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::move {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Type;

void check_mov(Check& check) {
  const Operand *dst = check.operand("dst"), *source = check.operand("src0");
  if (dst == nullptr || source == nullptr) return;
  const auto to = check.type_of(*dst), from = check.type_of(*source);
  if (source->kind == OperandKind::Predicate) {
    // visa-mov-predicate
    if (check.exec_size() != 1)
      check.error("visa-mov-predicate", nullptr,
                  fmt::format("a predicate is copied whole, with execution size 1, not {}", check.exec_size()));
    if (dst->modifier == isa::Modifier::Sat)
      check.error("visa-mov-predicate", dst, "a copy of a predicate cannot saturate");
    if (check.instruction().predicate.present())
      check.error("visa-mov-predicate", nullptr, "a copy of a predicate cannot be predicated");
    if (dst->kind != OperandKind::General && dst->kind != OperandKind::Indirect)
      check.error("visa-mov-predicate", dst,
                  fmt::format("a predicate is copied into an integer, not {}", check.text(*dst)));
    else if (to && (!isa::is_integer(*to) || isa::type_bytes(*to) > 4))
      check.error("visa-mov-predicate", dst,
                  fmt::format("a predicate is copied into an integer of up to 32 bits, not {}", isa::type_name(*to)));
    return;
  }
  // visa-addrof: outside addr_add the encoding would read a plain region
  if (source->kind == OperandKind::AddressOf) {
    check.error("visa-addrof", source,
                fmt::format("mov cannot take the address {}; only addr_add can", check.text(*source)));
    return;
  }
  // visa-bf-op
  const auto partner = [](Type t) { return t == Type::F || t == Type::BF || t == Type::VF; };
  if (to && from && (*to == Type::BF || *from == Type::BF) && (!partner(*to) || !partner(*from)))
    check.error("visa-bf-op", *to == Type::BF ? source : dst,
                fmt::format("bf is converted from and to f, not {}", isa::type_name(*to == Type::BF ? *from : *to)));
}

void check_movs(Check& check) {
  // visa-movs
  const Operand *dst = check.operand("dst"), *source = check.operand("src0");
  if (dst == nullptr || source == nullptr) return;
  const bool to_state = dst->kind == OperandKind::State, from_state = source->kind == OperandKind::State;
  if (!to_state && !from_state) check.error("visa-movs", dst, "neither side of movs is a surface or a sampler");
  if (to_state && from_state && dst->state != source->state)
    check.error("visa-movs", source,
                fmt::format("movs from {} to {}, which is of another kind", check.text(*source), check.text(*dst)));
  const auto elements = [&](const Operand& o) -> std::uint64_t {
    const isa::Object& object = check.object();
    if (o.state == isa::StateClass::Sampler) return o.id < object.samplers.size() ? object.samplers[o.id].elements : 1;
    if (o.id < isa::kFirstSurface) return 1;
    return o.id - isa::kFirstSurface < object.surfaces.size() ? object.surfaces[o.id - isa::kFirstSurface].elements : 1;
  };
  for (const Operand* o : {dst, source}) {
    if (o->kind != OperandKind::State) continue;
    const std::uint64_t end = static_cast<std::uint32_t>(o->offset) + std::uint64_t{check.exec_size()};
    if (end > elements(*o))
      check.error(
          "visa-movs", o,
          fmt::format("{} and {} elements from there, it has {}", check.text(*o), check.exec_size(), elements(*o)));
  }
}

// visa-convert: what fcvt and srnd have in common. False: their types are not known.
bool check_convert(Check& check, Type& to, Type& from) {
  const std::string_view word = check.description().mnemonic;
  if (!check.instruction().exec.no_mask()) check.error("visa-convert", nullptr, fmt::format("{} is NoMask", word));
  const Operand *dst = check.operand("dst"), *first = check.operand("src0"), *second = check.operand("src1");
  if (dst == nullptr || first == nullptr) return false;
  for (const Operand* o : {first, second})
    if (o != nullptr && o->modifier != isa::Modifier::None)
      check.error("visa-convert", o, fmt::format("{} takes no modifiers", word));
  const auto written = check.type_of(*dst), read = check.type_of(*first);
  if (!written || !read) return false;
  to = *written;
  from = *read;
  return true;
}

void check_fcvt(Check& check) {
  Type to{}, from{};
  if (!check_convert(check, to, from)) return;
  const auto pair = [&](Type a, Type b) { return (to == a && from == b) || (to == b && from == a); };
  const bool bf8 = pair(Type::UB, Type::HF) || pair(Type::B, Type::HF), tf32 = pair(Type::UD, Type::F);
  if (!bf8 && !tf32)
    check.error("visa-convert", check.operand("dst"),
                fmt::format("fcvt from {} to {}", isa::type_name(from), isa::type_name(to)));
}

void check_srnd(Check& check) {
  Type to{}, from{};
  if (!check_convert(check, to, from)) return;
  const auto pair = [&](Type a, Type b) { return to == a && from == b; };
  if (!pair(Type::UB, Type::HF) && !pair(Type::B, Type::HF) && !pair(Type::HF, Type::F))
    check.error("visa-convert", check.operand("dst"),
                fmt::format("srnd from {} to {}", isa::type_name(from), isa::type_name(to)));
  const Operand* second = check.operand("src1");
  const auto random = second != nullptr ? check.type_of(*second) : std::nullopt;
  if (random && *random != from)
    check.error("visa-convert", second,
                fmt::format("srnd has sources of type {} and {}", isa::type_name(from), isa::type_name(*random)));
}

constexpr CheckHook kHooks[] = {{"mov", check_mov}, {"movs", check_movs}, {"fcvt", check_fcvt}, {"srnd", check_srnd}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::move
