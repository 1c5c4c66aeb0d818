#include "instructions/jit_memory.hpp"

#include <cstddef>

namespace heddle::instructions::jit_memory {

using machine::jit::Context;
using machine::jit::integer_of;
using machine::jit::View;

namespace {
constexpr machine::jit::VectorType kWord{Element::I32, 0}, kPointer{Element::Pointer, 0}, kLong{Element::I64, 0};
}

Value scalar(Emit& e, const Operand& operand) {
  e.set_lane_wise(false);
  const Value value = e.read_integer(operand, 4);
  e.set_lane_wise(true);
  return value ? e.b().extract(value, 0) : Value{};
}

Target target_of_index(Emit& e, Value index) {
  Builder& b = e.b();
  // Indices beyond the table are those of an entry that is never bound: the last one is scratch, so they wrap to 252.
  const Value inside = b.compare(Compare::Ult, index, e.number(machine::jit::kViews));
  const Value safe = b.select(inside, index, e.number(machine::kBtiBindless));
  const Value views =
      b.load_fixed(e.frame().context, offsetof(Context, views), kPointer, 8, sizeof(View) * machine::jit::kViews);
  const Value entry =
      b.offset(views, b.binary(Binary::Mul, b.cast(Cast::ZExt, safe, kLong), b.constant(kLong, sizeof(View))));
  return {b.load_fixed(entry, offsetof(View, data), kPointer, 8), b.load_fixed(entry, offsetof(View, size), kWord, 4)};
}

bool target_of(Emit& e, const Operand& surface, Target& target) {
  if (surface.id == 4) return false;  // %bss: handles
  const std::uint32_t at = e.frame().states->surface(surface.id, surface.element);
  if (at == machine::StateIndex::kNone) return false;
  Value index;
  if (e.facts().states[at]) {
    index = e.number(*e.facts().states[at]);
  } else {
    // A variable without a value names an entry that is never bound.
    const Value word = e.b().load(e.frame().state_registers, at * 8, kLong, 4);
    const Value defined = e.b().compare(Compare::Ne, e.b().binary(Binary::LShr, word, e.b().constant(kLong, 32)),
                                        e.b().constant(kLong, 0));
    index = e.b().select(defined, e.b().cast(Cast::Trunc, word, kWord), e.number(machine::kBtiBindless));
  }
  target = target_of_index(e, index);
  return true;
}

namespace {

unsigned stride_of(const Emit& e, unsigned element) {
  const unsigned grf = e.grf_bytes(), bytes = e.lanes() * element;
  return (bytes + grf - 1) / grf * grf;
}

}  // namespace

namespace {

/// Lanes at neighbouring addresses, all enabled and inside: one plain access in place of one for each lane. The value
/// read, or nothing.
Value transfer_span(Emit& e, Value base, Value offsets, Value mask, Element stored, Value value) {
  Builder& b = e.b();
  const unsigned n = e.lanes(), bytes = machine::jit::element_bits(stored) / 8;
  const machine::jit::VectorType lanes{stored, n};
  if (n == 1) {
    if (!value) return b.gather(base, offsets, mask, stored);
    b.scatter(base, offsets, mask, value);
    return {};
  }
  std::array<std::uint64_t, machine::kMaxLanes> steps{};
  for (unsigned k = 0; k < n; ++k) steps[k] = std::uint64_t{k} * bytes;
  const Value first = b.extract(offsets, 0);
  const Value expected = b.binary(Binary::Add, b.splat(first, n), b.constants(Element::I32, std::span(steps).first(n)));
  const Value good = b.binary(Binary::And, b.compare(Compare::Eq, offsets, expected), mask);
  const Value together = b.compare(Compare::Eq, b.bits_of_mask(good), e.number(e.all_lanes()));
  const Block span = b.block("span"), apart = b.block("apart"), joined = b.block("joined");
  const Value result = value ? Value{} : b.storage(n * bytes, 64, "loaded");
  b.branch(together, span, apart);
  b.at(span);
  const Value at = b.offset(base, b.cast(Cast::ZExt, first, kLong));
  if (value)
    b.store(at, 0, value, 1);
  else
    b.store(result, 0, b.load(at, 0, lanes, 1), 1);
  b.jump(joined);
  b.at(apart);
  if (value)
    b.scatter(base, offsets, mask, value);
  else
    b.store(result, 0, b.gather(base, offsets, mask, stored), 1);
  b.jump(joined);
  b.at(joined);
  return value ? Value{} : b.load(result, 0, lanes, 1);
}

}  // namespace

bool transfer(Emit& e, const Target& target, const Message& m) {
  Builder& b = e.b();
  const unsigned n = e.lanes();
  const unsigned stride = stride_of(e, m.element);
  if (m.data->kind != isa::OperandKind::Raw) return false;
  for (unsigned c = 0; c < m.components; ++c)
    if (!(m.write ? e.raw_fits(*m.data, c * stride, n * m.element) : e.takes_raw(*m.data, c * stride, n * m.element)))
      return false;
  const Element element = integer_of(m.element), stored = integer_of(m.bytes);
  const machine::jit::VectorType lanes{element, n}, bytes{stored, n};
  std::vector<Value> values(m.components);
  for (unsigned c = 0; c < m.components && m.write; ++c) {
    values[c] = e.read_raw(*m.data, c * stride, m.element, n);
    if (!values[c]) return false;
  }
  Value offsets = m.offsets;
  if (m.aligned && m.bytes > 1)
    offsets = b.binary(Binary::And, offsets, e.lanes_of(~std::uint64_t{std::min(m.bytes, 4u) - 1}, Element::I32));
  const Value enabled = e.enabled();
  const Block bound = b.block("bound"), unbound = b.block("unbound"), done = b.block("done");
  b.branch_unlikely(b.compare(Compare::Eq, target.data, b.constant(kPointer, 0)), unbound, bound);
  b.at(bound);
  bool good = true;
  for (unsigned c = 0; c < m.components; ++c) {
    const Value need = e.number((c + 1) * m.bytes);
    const Value room = b.compare(Compare::Uge, target.size, need);
    const Value inside = b.compare(Compare::Ule, offsets, b.splat(b.binary(Binary::Sub, target.size, need), n));
    const Value mask = b.binary(Binary::And, b.binary(Binary::And, inside, b.splat(room, n)), enabled);
    const Value base = b.offset(target.data, b.constant(kLong, c * m.bytes));
    if (m.write) {
      Value value = values[c];
      if (m.bytes < m.element) value = b.cast(Cast::Trunc, value, bytes);
      if (m.components == 1)
        (void)transfer_span(e, base, offsets, mask, stored, value);
      else
        b.scatter(base, offsets, mask, value);
    } else {
      Value value =
          m.components == 1 ? transfer_span(e, base, offsets, mask, stored, {}) : b.gather(base, offsets, mask, stored);
      if (m.bytes < m.element) value = b.cast(Cast::ZExt, value, lanes);
      good = e.write_raw(*m.data, c * stride, value, enabled) && good;
    }
  }
  b.jump(done);
  b.at(unbound);
  e.frame().call_reference();
  b.jump(done);
  b.at(done);
  return good;
}

bool transfer_block(Emit& e, const Target& target, Value offset, unsigned bytes, const Operand& data, bool write) {
  Builder& b = e.b();
  const unsigned count = bytes / 4;
  e.set_lane_wise(false);
  if (data.kind != isa::OperandKind::Raw || !(write ? e.raw_fits(data, 0, bytes) : e.takes_raw(data, 0, bytes)))
    return false;
  Value values;
  if (write) {
    values = e.read_raw(data, 0, 4, count);
    if (!values) return false;
  }
  const Value need = e.number(bytes);
  const Value room = b.compare(Compare::Uge, target.size, need);
  const Value inside = b.compare(Compare::Ule, offset, b.binary(Binary::Sub, target.size, need));
  const Value bound = b.compare(Compare::Ne, target.data, b.constant(kPointer, 0));
  const Block plain = b.block("plain"), rare = b.block("rare"), done = b.block("done");
  b.branch(b.binary(Binary::And, b.binary(Binary::And, room, inside), bound), plain, rare);
  b.at(plain);
  bool good = true;
  const Value at = b.offset(target.data, b.cast(Cast::ZExt, offset, kLong));
  if (write)
    b.store(at, 0, values, 1);
  else
    good = e.write_raw(data, 0, b.load(at, 0, {Element::I32, count}, 1), {});
  b.jump(done);
  b.at(rare);
  e.frame().call_reference();
  b.jump(done);
  b.at(done);
  return good;
}

}  // namespace heddle::instructions::jit_memory
