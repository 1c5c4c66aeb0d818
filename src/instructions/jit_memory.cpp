#include "instructions/jit_memory.hpp"

#include <cstddef>

namespace heddle::instructions::jit_memory {

using machine::jit::Context;
using machine::jit::FlatView;
using machine::jit::integer_of;
using machine::jit::View;

namespace {
constexpr machine::jit::VectorType kWord{Element::I32, 0}, kPointer{Element::Pointer, 0}, kLong{Element::I64, 0};
}

Value scalar(Emit& e, const Operand& operand, unsigned bytes) {
  e.set_lane_wise(false);
  const Value value = e.read_integer(operand, bytes);
  e.set_lane_wise(true);
  return value ? e.b().extract(value, 0) : Value{};
}

Target target_of_index(Emit& e, Value index) {
  Builder& b = e.b();
  // Indices beyond the table are those of an entry that is never bound: the last one is scratch, so they wrap to 252.
  const Value inside = b.compare(Compare::Ult, index, e.number(machine::jit::kViews));
  const Value safe = b.select(inside, index, e.number(machine::kBtiBindless));
  const Value views =
      b.load_fixed(e.frame().context, offsetof(Context, views), kPointer, 8, {sizeof(View) * machine::jit::kViews});
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

Target flat_target(Emit& e, Value& addresses, unsigned bytes) {
  Builder& b = e.b();
  const unsigned n = e.lanes();
  const Value words = b.storage(n * 8, 64, "addresses");
  b.store(words, 0, addresses, 8);
  const Value view =
      b.call({"heddle_jit_flat", kPointer, true}, std::array{e.frame().context, words, e.enabled_bits()});
  const Value start = b.load(view, offsetof(FlatView, address), kLong, 8),
              size = b.load(view, offsetof(FlatView, size), kLong, 8);
  const Value offsets = b.binary(Binary::Sub, addresses, b.splat(start, n));
  const Value need = b.constant(kLong, bytes);
  const Value outside = b.compare(Compare::Ugt, offsets, b.splat(b.binary(Binary::Sub, size, need), n));
  const Value astray = b.binary(Binary::And, b.bits_of_mask(outside), e.enabled_bits());
  const Value good =
      b.binary(Binary::And, b.compare(Compare::Eq, astray, e.number(0)), b.compare(Compare::Uge, size, need));
  addresses = b.cast(Cast::Trunc, offsets, {Element::I32, n});
  return {b.select(good, b.load(view, offsetof(FlatView, data), kPointer, 8), b.constant(kPointer, 0)),
          b.cast(Cast::Trunc, size, kWord)};
}

Target flat_block_target(Emit& e, Value& address, unsigned bytes) {
  Builder& b = e.b();
  const Value words = b.storage(8, 8, "address");
  b.store(words, 0, address, 8);
  const Value view = b.call({"heddle_jit_flat", kPointer, true}, std::array{e.frame().context, words, e.number(1)});
  const Value size = b.load(view, offsetof(FlatView, size), kLong, 8), need = b.constant(kLong, bytes);
  const Value offset = b.binary(Binary::Sub, address, b.load(view, offsetof(FlatView, address), kLong, 8));
  const Value good = b.binary(Binary::And, b.compare(Compare::Uge, size, need),
                              b.compare(Compare::Ule, offset, b.binary(Binary::Sub, size, need)));
  address = b.cast(Cast::Trunc, offset, kWord);
  return {b.select(good, b.load(view, offsetof(FlatView, data), kPointer, 8), b.constant(kPointer, 0)),
          b.cast(Cast::Trunc, size, kWord)};
}

bool emit_atomics(Emit& e, const Target& target, Value offsets, machine::AtomicOp op, unsigned bytes,
                  const Operand& src0, const Operand& src1, const Operand& dst) {
  Builder& b = e.b();
  const unsigned n = e.lanes(), element = std::max(bytes, 4u);  // 16-bit operands lie in the low half of dwords
  if (dst.kind != isa::OperandKind::Raw || src0.kind != isa::OperandKind::Raw || src1.kind != isa::OperandKind::Raw ||
      !e.takes_raw(dst, 0, n * element))
    return false;
  const Value first = e.read_raw(src0, 0, element, n), second = e.read_raw(src1, 0, element, n);
  if (!first || !second) return false;
  const Block bound = b.block("bound"), unbound = b.block("unbound"), done = b.block("done");
  b.branch_unlikely(b.compare(Compare::Eq, target.data, b.constant(kPointer, 0)), unbound, bound);
  b.at(bound);
  const Value places = b.storage(n * 4, 64, "places"), a = b.storage(n * element, 64, "first"),
              c = b.storage(n * element, 64, "second"), old = b.storage(n * element, 64, "old");
  b.store(places, 0, offsets, 4);
  b.store(a, 0, first, 4);
  b.store(c, 0, second, 4);
  (void)b.call({"heddle_jit_atomics", {}, false},
               std::array{target.data, target.size, places, a, c, old, e.enabled_bits(),
                          e.number(static_cast<unsigned>(op) | bytes << 8)});
  const bool good = dst.null || e.write_raw(dst, 0, b.load(old, 0, {integer_of(element), n}, 4), e.enabled());
  b.jump(done);
  b.at(unbound);
  e.frame().call_reference();
  b.jump(done);
  b.at(done);
  return good;
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
  std::vector<unsigned> places;  // of the components that are there
  for (unsigned c = 0; c < m.components; ++c)
    if ((m.mask >> c & 1u) != 0) places.push_back(c);
  const auto count = static_cast<unsigned>(places.size());
  for (unsigned i = 0; i < count; ++i)
    if (!(m.write ? e.raw_fits(*m.data, i * stride, n * m.element) : e.takes_raw(*m.data, i * stride, n * m.element)))
      return false;
  const Element element = integer_of(m.element), stored = integer_of(m.bytes);
  const machine::jit::VectorType lanes{element, n}, bytes{stored, n};
  std::vector<Value> values(count);
  for (unsigned i = 0; i < count && m.write; ++i) {
    values[i] = e.read_raw(*m.data, i * stride, m.element, n);
    if (!values[i]) return false;
  }
  Value offsets = m.offsets;
  if (m.aligned && m.bytes > 1)
    offsets = b.binary(Binary::And, offsets, e.lanes_of(~std::uint64_t{std::min(m.bytes, 4u) - 1}, Element::I32));
  const Value enabled = e.enabled();
  const Block bound = b.block("bound"), unbound = b.block("unbound"), done = b.block("done");
  b.branch_unlikely(b.compare(Compare::Eq, target.data, b.constant(kPointer, 0)), unbound, bound);
  b.at(bound);
  bool good = true;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned c = places[i];
    const Value need = e.number((c + 1) * m.bytes);
    const Value room = b.compare(Compare::Uge, target.size, need);
    const Value inside = b.compare(Compare::Ule, offsets, b.splat(b.binary(Binary::Sub, target.size, need), n));
    const Value mask = b.binary(Binary::And, b.binary(Binary::And, inside, b.splat(room, n)), enabled);
    const Value base = b.offset(target.data, b.constant(kLong, c * m.bytes));
    if (m.write) {
      Value value = values[i];
      if (m.bytes < m.element) value = b.cast(Cast::Trunc, value, bytes);
      if (count == 1)
        (void)transfer_span(e, base, offsets, mask, stored, value);
      else
        b.scatter(base, offsets, mask, value);
    } else {
      Value value =
          count == 1 ? transfer_span(e, base, offsets, mask, stored, {}) : b.gather(base, offsets, mask, stored);
      if (m.bytes < m.element) value = b.cast(Cast::ZExt, value, lanes);
      good = e.write_raw(*m.data, i * stride, value, enabled) && good;
    }
  }
  b.jump(done);
  b.at(unbound);
  e.frame().call_reference();
  b.jump(done);
  b.at(done);
  return good;
}

bool transfer_flat(Emit& e, Message m) {
  if (m.aligned && m.bytes > 1)
    m.offsets =
        e.b().binary(Binary::And, m.offsets, e.lanes_of(~std::uint64_t{std::min(m.bytes, 4u) - 1}, Element::I64));
  m.aligned = false;
  unsigned last = 0;
  for (unsigned c = 0; c < m.components; ++c)
    if ((m.mask >> c & 1u) != 0) last = c;
  const Target target = flat_target(e, m.offsets, (last + 1) * m.bytes);
  return transfer(e, target, m);
}

bool emit_flat_atomics(Emit& e, Value addresses, machine::AtomicOp op, unsigned bytes, const Operand& src0,
                       const Operand& src1, const Operand& dst) {
  addresses = e.b().binary(Binary::And, addresses, e.lanes_of(~std::uint64_t{bytes - 1}, Element::I64));
  const Target target = flat_target(e, addresses, bytes);
  return emit_atomics(e, target, addresses, op, bytes, src0, src1, dst);
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
