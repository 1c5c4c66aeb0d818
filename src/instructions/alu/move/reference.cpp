// SPDX-License-Identifier: MIT
// Moves, conversions, addresses, state (NUM-80 to NUM-97).
#include "instructions/reference.hpp"
#include "instructions/alu/lanes.hpp"

namespace heddle::instructions::move {
namespace {

using namespace alu;
using isa::OperandKind;
using isa::Type;
using machine::Lanes;
using machine::Operand;

/// Copies lanes with conversion; bits stay as they are where nothing is to be done (NaN payloads, subnormals).
void convert_lanes(ExecutionContext& s, const Operand& from, const Operand& to, Lanes& bits) {
  const machine::Rounding rounding = s.modes().rounding;
  const bool saturate = s.instruction().saturate;
  for (unsigned k = 0; k < s.lanes(); ++k) bits[k] = machine::convert(bits[k], from.type, to.type, saturate, rounding);
}

/// Modifiers on a float are sign-bit operations; on integers they work in unlimited precision (NUM-84).
void move_lanes(ExecutionContext& s, const Operand& from, const Operand& to, Lanes& out) {
  if (isa::is_float(from.type)) {
    s.read_bits(from, out);
    if (from.modifier != isa::Modifier::None) {
      const std::uint64_t sign = std::uint64_t{1} << (8 * from.size - 1);
      for (unsigned k = 0; k < s.lanes(); ++k) {
        if (from.modifier == isa::Modifier::Abs || from.modifier == isa::Modifier::NegAbs) out[k] &= ~sign;
        if (from.modifier == isa::Modifier::Neg || from.modifier == isa::Modifier::NegAbs) out[k] ^= sign;
      }
    }
    convert_lanes(s, from, to, out);
    return;
  }
  if (!s.instruction().saturate && !isa::is_float(to.type) &&
      (from.size < 8 || from.modifier == isa::Modifier::None)) {  // the low bits, so 64 bits are enough
    std::array<std::int64_t, kMaxLanes> low;
    s.read(from, low.data());
    for (unsigned k = 0; k < s.lanes(); ++k) out[k] = static_cast<std::uint64_t>(low[k]);
    return;
  }
  std::array<Wide, kMaxLanes> values;
  s.read(from, values.data());
  for (unsigned k = 0; k < s.lanes(); ++k)
    out[k] = machine::element_of(values[k], to.type, s.instruction().saturate, s.modes().rounding);
}

/// NUM-97: the whole predicate, element 0 lowest.
void move_predicate(ExecutionContext& s) {
  const Operand& predicate = s.source(0);
  const isa::Object& object = *s.thread().object().object;
  const unsigned elements =
      predicate.id - 1 < object.predicates.size() ? object.predicates[predicate.id - 1].elements : 32;
  const std::uint32_t all = elements >= 32 ? 0xffffffffu : (1u << elements) - 1;
  const std::uint32_t undefined = ~s.registers().predicate_defined(predicate.id) & all & s.thread().flow().active();
  if (undefined != 0)
    s.check(&predicate, "run-undefined-predicate", "predicate " + s.name_of(predicate) + " was never written",
            static_cast<unsigned>(__builtin_ctz(undefined)));
  Lanes bits{};
  bits.fill(s.registers().predicate(predicate.id) & all);
  s.write_bits(s.destination(), bits);
}

/// A copy from a vector that is only partly written (compilers build vectors element by element and move them whole):
/// what was never written stays so in the copy, and a report comes when it is used. Said of whole copies of a vector,
/// and of copies of elements none of which is written while others of the variable are.
bool copies_partly_written_vector(ExecutionContext& s, const Operand& from, const Operand& to) {
  const machine::Decoded& d = s.instruction();
  if (!s.checking() || d.saturate || d.lanes == 1 || from.modifier != isa::Modifier::None || from.type != to.type ||
      from.kind != OperandKind::General || to.kind != OperandKind::General || !from.contiguous || !to.contiguous ||
      !from.in_bounds || !to.in_bounds)
    return false;
  machine::Registers& file = s.registers();
  const unsigned size = d.lanes * from.size;
  if (file.defined(from.base, size)) return false;
  if (file.any_defined(from.base, size) ? !d.no_mask || d.predicate.present()
                                        : !file.any_defined(from.root_begin, from.root_end - from.root_begin))
    return false;
  for (unsigned k = 0; k < d.lanes; ++k)
    if (s.is_enabled(k)) file.copy(to.base + to.lane[k], from.base + from.lane[k], from.size);
  return true;
}

void mov(ExecutionContext& s) {
  const Operand &from = s.source(0), &to = s.destination();
  if (from.kind == OperandKind::Predicate) {
    move_predicate(s);
    return;
  }
  if (to.null || copies_partly_written_vector(s, from, to)) return;  // to %null: only waits for the source
  Lanes out{};
  move_lanes(s, from, to, out);
  s.write_bits(to, out);
}

/// The predicate chooses; only the execution mask disables.
void sel(ExecutionContext& s) {
  const std::uint32_t chosen = s.predicated();
  Lanes a{}, b{};
  s.select_sources(chosen);
  move_lanes(s, s.source(0), s.destination(), a);
  s.select_sources(~chosen);
  move_lanes(s, s.source(1), s.destination(), b);
  for (unsigned k = 0; k < s.lanes(); ++k)
    if ((chosen >> k & 1u) == 0) a[k] = b[k];
  s.select_sources(s.all_lanes());
  s.write_bits(s.destination(), a);
}

/// fcvt: HF to BF8 (UB) and back (NUM-96); F to TF32 (UD) and back.
void fcvt(ExecutionContext& s) {
  const Operand &from = s.source(0), &to = s.destination();
  Lanes bits{};
  s.read_bits(from, bits);
  for (unsigned k = 0; k < s.lanes(); ++k) {
    if (from.type == Type::HF && to.size == 1) {
      bits[k] = machine::half_to_bf8(static_cast<std::uint16_t>(bits[k]));
    } else if (from.size == 1 && to.type == Type::HF) {
      bits[k] = machine::bf8_to_half(static_cast<std::uint8_t>(bits[k]));
    } else if (from.type == Type::F && to.type == Type::UD) {
      // 10 fraction bits, nearest even; subnormals become zero, a NaN stays one.
      const auto x = static_cast<std::uint32_t>(bits[k]);
      const float value = base::float_from_bits(x);
      if (value != value)
        bits[k] = (x | 0x400000u) & ~0x1fffu;
      else if ((x & 0x7f800000u) == 0)
        bits[k] = x & 0x80000000u;
      else
        bits[k] = (x + 0xfffu + (x >> 13 & 1u)) & ~0x1fffu;
    }
  }
  s.write_bits(to, bits);
}

/// Stochastic rounding: the random bits are added to the fraction (bit 0 to bit 0) and the sum is cut. Subnormals are
/// kept.
void srnd(ExecutionContext& s) {
  const Operand &from = s.source(0), &to = s.destination();
  Lanes bits{}, random{};
  s.read_bits(from, bits);
  s.read_bits(s.source(1), random);
  for (unsigned k = 0; k < s.lanes(); ++k) {
    const std::uint64_t x = bits[k];
    if (from.type == Type::HF && to.size == 1) {
      const std::uint64_t magnitude = x & 0x7fffu;
      bits[k] = magnitude >= 0x7c00u
                    ? machine::half_to_bf8(static_cast<std::uint16_t>(x))
                    : (x >> 8 & 0x80u) | std::min<std::uint64_t>((magnitude + (random[k] & 0xffu)) >> 8, 0x7cu);
    } else if (from.type == Type::F && to.type == Type::HF) {
      const float value = base::float_from_bits(static_cast<std::uint32_t>(x));
      const std::uint64_t sign = x >> 16 & 0x8000u;
      const auto exponent = static_cast<int>(x >> 23 & 0xffu) - 127;
      if (value != value || exponent == 128) {
        bits[k] = base::float_to_half(value);
      } else {
        // Below the normal range of HF the fraction is shifted so that its last kept bit keeps its weight.
        const unsigned extra = exponent < -14 ? static_cast<unsigned>(-14 - exponent) : 0u;
        const std::uint64_t fraction = (x & 0x7fffffu) | (exponent == -127 ? 0u : 0x800000u);
        const std::uint64_t kept = extra > 40 ? 0 : ((fraction >> extra) + (random[k] & 0x1fffu)) >> 13;
        const std::uint64_t magnitude = kept + (exponent < -14 ? 0 : static_cast<std::uint64_t>(exponent + 14) << 10);
        bits[k] = sign | std::min<std::uint64_t>(magnitude, 0x7c00u);
      }
    }
  }
  s.write_bits(to, bits);
}

/// Address sums have 16 bits; the variable whose address was taken is remembered, so that an indirect access can be
/// checked.
void addr_add(ExecutionContext& s) {
  const Operand &to = s.destination(), &base = s.source(0), &step = s.source(1);
  std::array<std::uint32_t, kMaxLanes> origin{};
  Lanes start{}, add{};
  origin.fill(machine::kNoRoot);
  const auto address_of = [&](const Operand& operand) {
    const machine::VariablePlacement* place = s.thread().object().layout.place(operand.id);
    origin.fill(place != nullptr ? place->root : machine::kNoRoot);
    return std::uint64_t{operand.base};
  };
  if (base.kind == OperandKind::AddressOf) {
    start.fill(address_of(base));
  } else {
    s.read_bits(base, start);
    if (base.kind == OperandKind::Address)
      for (unsigned k = 0; k < s.lanes(); ++k)
        if (const auto* a = s.registers().address(base.id, base.element + k % base.width)) origin[k] = a->root;
  }
  if (step.kind == OperandKind::AddressOf) {
    add.fill(address_of(step));
  } else {
    std::array<std::int64_t, kMaxLanes> values{};
    s.read(step, values.data());
    for (unsigned k = 0; k < s.lanes(); ++k) add[k] = static_cast<std::uint64_t>(values[k]);
  }
  for (unsigned k = 0; k < s.lanes(); ++k) {
    if (!s.is_enabled(k)) continue;
    if (auto* a = s.registers().address(to.id, to.element + k))
      *a = {static_cast<std::uint16_t>(start[k] + add[k]), true, origin[k]};
  }
}

/// movs: state to state, index to state, state to index; exec size counts elements.
void movs(ExecutionContext& s) {
  const Operand &to = s.destination(), &from = s.source(0);
  const auto state = [&](const Operand& operand, unsigned k) {
    return operand.source->state == isa::StateClass::Surface ? s.registers().surface(operand.id, operand.element + k)
                                                             : s.registers().sampler(operand.id, operand.element + k);
  };
  Lanes values{};
  std::uint32_t defined = s.all_lanes();
  if (from.kind == OperandKind::State) {
    for (unsigned k = 0; k < s.lanes(); ++k) {
      const machine::StateRegister* element = state(from, k);
      values[k] = element != nullptr ? element->value : 0;
      if (element == nullptr || !element->defined) defined &= ~(1u << k);
    }
  } else {
    s.read_bits(from, values);
  }
  if (to.kind != OperandKind::State) {
    s.write_bits(to, values);
    return;
  }
  for (unsigned k = 0; k < s.lanes(); ++k) {
    machine::StateRegister* element = state(to, k);
    if (element == nullptr)
      s.check(&to, "run-region-bounds", "the state variable has fewer elements than are written", k);
    else
      *element = {static_cast<std::uint32_t>(values[k]), (defined >> k & 1u) != 0};
  }
}

constexpr ReferenceHook kHooks[] = {
    {"mov", mov}, {"sel", sel}, {"fcvt", fcvt}, {"srnd", srnd}, {"addr_add", addr_add}, {"movs", movs},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::move
