// SPDX-License-Identifier: MIT
// Destinations: bits under the masks, integers, raw operands.
#include "machine/jit/emit.hpp"

#include <algorithm>

namespace heddle::machine::jit {

using isa::OperandKind;
using isa::Type;

bool CodegenContext::write_indirect(const Operand& operand, Value bits) {
  Value inside;
  const Value positions = indirect_positions(operand, inside);
  if (!positions) return false;
  b_.scatter(function_.registers, positions, b_.binary(Binary::And, inside, enabled()), bits);
  return true;
}

bool CodegenContext::takes_bits(const Operand& operand) {
  const unsigned n = d_.lanes;
  if (operand.kind == OperandKind::Indirect) {
    const unsigned per = operand.width == 0 ? n : operand.width;
    return address_root(operand.id, operand.element, (n + per - 1) / per).has_value();
  }
  if (operand.kind == OperandKind::Address)
    return operand.element + n <= Registers::kAddressElements &&
           operand.id < function_.object->object->addresses.size();
  if (operand.kind != OperandKind::General) return false;
  if (operand.null) return true;
  if (!operand.in_bounds) return false;
  const auto [low, high] = extent(operand);
  if (high - low > kWidestSpan) return false;
  const Span span = cover(low, high);
  if (span.storage == nullptr || (span.end - span.begin) % operand.size != 0) return false;
  // Two lanes on one element are left to the reference engine.
  for (unsigned k = 0; k < n; ++k) {
    if ((operand.base + operand.lane[k] - span.begin) % operand.size != 0) return false;
    for (unsigned i = 0; i < k; ++i)
      if (operand.lane[i] == operand.lane[k]) return false;
  }
  return true;
}

bool CodegenContext::write_bits(const Operand& operand, Value bits) {
  const unsigned n = d_.lanes;
  if (!takes_bits(operand)) return false;
  if (operand.kind == OperandKind::Indirect) return write_indirect(operand, bits);
  if (operand.kind == OperandKind::Address) {
    const Value old = read_address_words(operand.id, operand.element, n);
    Value words = b_.type(bits).element == Element::I16 ? bits : b_.cast(Cast::Trunc, bits, {Element::I16, n});
    words = b_.cast(Cast::ZExt, words, {Element::I64, n});
    words = b_.binary(Binary::Or, words, lanes_of(std::uint64_t{kNoRoot} << 32 | 0x10000u, Element::I64));
    write_address_words(operand.id, operand.element, always() ? words : b_.select(enabled(), words, old));
    return true;
  }
  if (operand.null) return true;
  const auto [low, high] = extent(operand);
  const Span span = cover(low, high);
  const Element element = integer_of(operand.size);
  const unsigned there = (span.end - span.begin) / operand.size;
  std::vector<int> taken(there, -1), from_old(n);  // where each lane goes
  for (unsigned k = 0; k < n; ++k) {
    from_old[k] = static_cast<int>((operand.base + operand.lane[k] - span.begin) / operand.size);
    taken[static_cast<unsigned>(from_old[k])] = static_cast<int>(k);
  }
  bool plain = there == n;
  for (unsigned k = 0; k < n && plain; ++k) plain = taken[k] == static_cast<int>(k);
  const bool predicated = predicate_masks_ && is_predicated();
  if (plain)
    record_row(low, operand.size, n, true, !predicated);
  else
    record(low, high);
  const bool unmasked_writes = function_.unmasked_writes && plain, all = always() || (unmasked_writes && !predicated);
  if (plain && all) {
    store_span(span, bits);
    return true;
  }
  const Value old = load_span(span, element);
  Value merged = bits;
  if (!all)
    merged = b_.select(unmasked_writes ? this->predicated() : enabled(), bits, plain ? old : pick(old, from_old));
  if (!plain) {
    // Widened to the span, then lanes of both are put together.
    std::vector<int> widen(there), mix(there);
    for (unsigned i = 0; i < there; ++i) {
      widen[i] = i < n ? static_cast<int>(i) : -1;
      mix[i] = taken[i] >= 0 ? static_cast<int>(there) + taken[i] : static_cast<int>(i);
    }
    merged = b_.shuffle(old, there == n ? merged : pick(merged, widen), mix);
  }
  store_span(span, merged);
  return true;
}

bool CodegenContext::write_low(const Operand& operand, Value value) {
  if (!operand.is_register() && operand.kind != OperandKind::Address) return false;
  if (isa::is_float(operand.type) || operand.type == Type::Bool) return false;
  const VectorType to{integer_of(operand.size), d_.lanes};
  if (element_bits(b_.type(value).element) < element_bits(to.element)) return false;
  if (b_.type(value) != to) value = b_.cast(Cast::Trunc, value, to);
  return write_bits(operand, value);
}

Value CodegenContext::clamp_integer(Value exact, Type type) {
  const VectorType t = b_.type(exact);
  const unsigned bits = 8 * isa::type_bytes(type), own = element_bits(t.element);
  if (bits >= own) return {};
  const std::int64_t low = isa::is_signed(type) ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t high = (std::int64_t{1} << (isa::is_signed(type) ? bits - 1 : bits)) - 1;
  const Value least = b_.constant(t, static_cast<std::uint64_t>(low)),
              most = b_.constant(t, static_cast<std::uint64_t>(high));
  exact = b_.select(b_.compare(Compare::Slt, exact, least), least, exact);
  return b_.select(b_.compare(Compare::Sgt, exact, most), most, exact);
}

bool CodegenContext::write_exact(const Operand& operand, Value value) {
  if (!operand.is_register() || operand.type == Type::Bool) return false;
  const unsigned n = d_.lanes;
  const VectorType own = b_.type(value);
  if (!isa::is_float(operand.type)) {
    if (d_.saturate) value = clamp_integer(value, operand.type);
    return value && write_low(operand, value);
  }
  if (!has_modes_ || (operand.type != Type::F && operand.type != Type::HF && operand.type != Type::DF)) return false;
  if (d_.saturate) {
    const Value zero = b_.constant(own, 0), one = b_.constant(own, 1);
    value = b_.select(b_.compare(Compare::Slt, value, zero), zero, value);
    value = b_.select(b_.compare(Compare::Sgt, value, one), one, value);
  }
  if (operand.type == Type::DF)
    return write_bits(operand, b_.cast(Cast::Bits, b_.cast(Cast::SToF, value, {Element::F64, n}), {Element::I64, n}));
  // Integers that F cannot hold overflow HF anyway.
  const Value single = b_.cast(Cast::SToF, value, {Element::F32, n});
  if (operand.type == Type::F) return write_bits(operand, b_.cast(Cast::Bits, single, {Element::I32, n}));
  return write_bits(operand, b_.cast(Cast::Bits, b_.cast(Cast::FTrunc, single, {Element::Half, n}), {Element::I16, n}));
}

// --- raw operands ---

bool CodegenContext::raw_fits(const Operand& operand, unsigned at, unsigned bytes) const {
  return operand.null ||
         (operand.base >= operand.root_begin && std::uint64_t{operand.base} + at + bytes <= operand.root_end);
}

Value CodegenContext::read_raw(const Operand& operand, unsigned at, unsigned size, unsigned count) {
  const Element element = integer_of(size);
  if (operand.null) return b_.constant({element, count}, 0);
  if (!raw_fits(operand, at, size * count)) return {};
  const std::uint32_t begin = operand.base + at, end = begin + size * count;
  const Span span = cover(begin, end);
  if (span.storage == nullptr || (begin - span.begin) % size != 0 || (span.end - span.begin) % size != 0) return {};
  record_row(begin, size, count, false, false);
  const Value all = load_span(span, element);
  const unsigned there = (span.end - span.begin) / size, first = (begin - span.begin) / size;
  if (there == count) return all;
  std::vector<int> lanes(count);
  for (unsigned k = 0; k < count; ++k) lanes[k] = static_cast<int>(first + k);
  return pick(all, lanes);
}

bool CodegenContext::takes_raw(const Operand& operand, unsigned at, unsigned bytes) {
  if (operand.null) return true;
  if (!raw_fits(operand, at, bytes)) return false;
  const Span span = cover(operand.base + at, operand.base + at + bytes);
  return span.storage != nullptr && span.begin == operand.base + at && span.end == span.begin + bytes;
}

bool CodegenContext::write_raw(const Operand& operand, unsigned at, Value values, Value mask) {
  if (operand.null) return true;
  const VectorType type = b_.type(values);
  const unsigned size = element_bits(type.element) / 8, count = type.lanes;
  if (!takes_raw(operand, at, size * count)) return false;
  const Span span = cover(operand.base + at, operand.base + at + size * count);
  record_row(operand.base + at, size, count, true, !mask || !is_predicated());
  if (mask && !(function_.unmasked_writes && count == d_.lanes && !is_predicated()))
    values = b_.select(mask, values, load_span(span, type.element));
  store_span(span, values);
  return true;
}

}  // namespace heddle::machine::jit
