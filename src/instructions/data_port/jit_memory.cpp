// SPDX-License-Identifier: MIT
#include "instructions/data_port/jit_memory.hpp"

#include <cstddef>

#include "instructions/data_port/jit_chosen.hpp"
#include "instructions/jit_known_values.hpp"
#include "machine/jit/transfers.hpp"

namespace heddle::instructions::jit_memory {

using machine::jit::FlatView;
using machine::jit::HandleView;
using machine::jit::integer_of;
using machine::jit::ThreadContext;
using machine::jit::View;

namespace {
constexpr machine::jit::VectorType kWord{Element::I32, 0}, kPointer{Element::Pointer, 0}, kLong{Element::I64, 0};

/// Ends the block of the fast way, and fills `rare`, where the reference function runs; both go on at `done`.
void call_reference_at(CodegenContext& e, const Block& rare, const Block& done) {
  Builder& b = e.b();
  b.jump(done);
  b.at(rare);
  e.function().call_reference();
  b.jump(done);
  b.at(done);
}
}  // namespace

Value scalar(CodegenContext& e, const Operand& operand, unsigned bytes) {
  e.set_lane_wise(false);
  const Value value = e.read_integer(operand, bytes);
  e.set_lane_wise(true);
  return value ? e.b().extract(value, 0) : Value{};
}

MemoryBytes target_of_index(CodegenContext& e, Value index) {
  Builder& b = e.b();
  // Indices beyond the table are those of an entry that is never bound: the last one is scratch, so they wrap to 252.
  const Value inside = b.compare(Compare::Ult, index, e.number(machine::jit::kViews));
  const Value safe = b.select(inside, index, e.number(machine::kBtiBindless));
  const Value views = b.load_fixed(e.function().context, offsetof(ThreadContext, views), kPointer, 8,
                                   {sizeof(View) * machine::jit::kViews});
  const Value entry =
      b.offset(views, b.binary(Binary::Mul, b.cast(Cast::ZExt, safe, kLong), b.constant(kLong, sizeof(View))));
  return {b.load_fixed(entry, offsetof(View, data), kPointer, 8), b.load_fixed(entry, offsetof(View, size), kWord, 4)};
}

namespace {

/// `word`: of the state file, the handle and whether there is one.
MemoryBytes target_of_handle(CodegenContext& e, Value word) {
  Builder& b = e.b();
  const Value context = e.function().context;
  const auto field = [&](std::size_t at, machine::jit::VectorType type) {
    return b.load(context, static_cast<std::int64_t>(at), type, 8);
  };
  const Value found = b.storage(8, 8, "handle");
  const Block known = b.block("known"), ask = b.block("ask"), there = b.block("handle");
  const Value handle = b.binary(Binary::Sub, word, b.constant(kLong, std::uint64_t{1} << 32));
  b.branch(b.compare(Compare::Ult, handle, field(offsetof(ThreadContext, handle_count), kLong)), known, ask);
  b.at(known);
  const Value entry = b.offset(field(offsetof(ThreadContext, handles), kPointer),
                               b.binary(Binary::Mul, handle, b.constant(kLong, sizeof(HandleView))));
  b.store(found, 0, entry, 8);
  b.branch(b.compare(Compare::Eq, b.load(entry, offsetof(HandleView, run), kWord, 4),
                     field(offsetof(ThreadContext, run), kWord)),
           there, ask);
  b.at(ask);
  b.store(found, 0, b.call({"heddle_jit_handle_view", kPointer, true}, std::array{context, word}), 8);
  b.jump(there);
  b.at(there);
  const Value view = b.load(found, 0, kPointer, 8);
  return {b.load(view, offsetof(HandleView, data), kPointer, 8), b.load(view, offsetof(HandleView, size), kWord, 4)};
}

}  // namespace

bool target_of(CodegenContext& e, const Operand& surface, MemoryBytes& target) {
  const std::uint32_t at = e.function().states->surface(surface.id, surface.element);
  if (at == machine::StateIndex::kNone) return false;
  if (is_handle(surface) && e.function().chosen.data) {
    target = {e.function().chosen.data, e.function().chosen.size, true};
    return true;
  }
  if (is_handle(surface)) {
    target = target_of_handle(e, e.b().load(e.function().state_registers, at * 8, kLong, 4));
    return true;
  }
  Value index;
  if (const auto known = e.known().states[at]) {
    for (const machine::jit::FunctionState::Bound& bound : e.function().bound)
      if (bound.index == *known) {
        target = {bound.data, bound.size};
        return true;
      }
    index = e.number(*known);
  } else {
    // A variable without a value names an entry that is never bound.
    const Value word = e.b().load(e.function().state_registers, at * 8, kLong, 4);
    const Value defined = e.b().compare(Compare::Ne, e.b().binary(Binary::LShr, word, e.b().constant(kLong, 32)),
                                        e.b().constant(kLong, 0));
    index = e.b().select(defined, e.b().cast(Cast::Trunc, word, kWord), e.number(machine::kBtiBindless));
  }
  target = target_of_index(e, index);
  return true;
}

namespace {

/// Where the thread keeps the piece of address space that this message used last.
std::uint32_t flat_site(CodegenContext& e) {
  return std::min(e.function().flat_messages++, ThreadContext::kFlatViews - 1);
}

/// The piece of address space that this message used last is looked at first: `inside` says whether the addresses are
/// all in [start, start + size - bytes]; else the runtime finds the one at the first of them.
template <typename Inside>
MemoryBytes find_flat(CodegenContext& e, Value addresses, unsigned bytes, Value enabled_bits, Value& start,
                      const Inside& inside) {
  Builder& b = e.b();
  const std::uint32_t site = flat_site(e);
  const std::uint32_t at = offsetof(ThreadContext, flat) + site * sizeof(FlatView);
  const Value first = b.storage(8, 8, "start"), data = b.storage(8, 8, "data"), family = b.storage(8, 8, "size");
  const Value need = b.constant(kLong, bytes);
  const auto look = [&] {
    const Value from = b.load(e.function().context, at + offsetof(FlatView, address), kLong, 8),
                size = b.load(e.function().context, at + offsetof(FlatView, size), kLong, 8);
    b.store(first, 0, from, 8);
    b.store(family, 0, size, 8);
    b.store(data, 0, b.load(e.function().context, at + offsetof(FlatView, data), kPointer, 8), 8);
    return b.binary(Binary::And, b.compare(Compare::Uge, size, need), inside(from, b.binary(Binary::Sub, size, need)));
  };
  const Block there = b.block("flat"), search = b.block("search"), nowhere = b.block("nowhere");
  b.branch(look(), there, search);
  b.at(search);
  const unsigned n = b.type(addresses).lanes;
  const Value words = b.storage(std::max(n, 1u) * 8, 64, "addresses");
  b.store(words, 0, addresses, 8);
  (void)b.call({"heddle_jit_flat", {}, false}, std::array{e.function().context, words, enabled_bits, e.number(site)});
  b.branch(look(), there, nowhere);
  b.at(nowhere);
  b.store(data, 0, b.constant(kPointer, 0), 8);
  b.store(family, 0, b.constant(kLong, 0), 8);
  b.jump(there);
  b.at(there);
  start = b.load(first, 0, kLong, 8);
  return {b.load(data, 0, kPointer, 8), b.cast(Cast::Trunc, b.load(family, 0, kLong, 8), kWord)};
}

}  // namespace

MemoryBytes flat_target(CodegenContext& e, Value& addresses, unsigned bytes) {
  Builder& b = e.b();
  const unsigned n = e.lanes();
  const Value enabled = e.enabled_bits();
  Value start;
  const MemoryBytes target = find_flat(e, addresses, bytes, enabled, start, [&](Value from, Value most) {
    const Value outside = b.compare(Compare::Ugt, b.binary(Binary::Sub, addresses, b.splat(from, n)), b.splat(most, n));
    return b.compare(Compare::Eq, b.binary(Binary::And, b.bits_of_mask(outside), enabled), e.number(0));
  });
  addresses = b.cast(Cast::Trunc, b.binary(Binary::Sub, addresses, b.splat(start, n)), {Element::I32, n});
  return target;
}

MemoryBytes flat_block_target(CodegenContext& e, Value& address, unsigned bytes) {
  Builder& b = e.b();
  Value start;
  const MemoryBytes target = find_flat(e, address, bytes, e.number(1), start, [&](Value from, Value most) {
    return b.compare(Compare::Ule, b.binary(Binary::Sub, address, from), most);
  });
  address = b.cast(Cast::Trunc, b.binary(Binary::Sub, address, start), kWord);
  return target;
}

bool emit_atomics(CodegenContext& e, const MemoryBytes& target, Value offsets, machine::AtomicOp op, unsigned bytes,
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
  const Value alone = b.load_fixed(e.function().context, offsetof(ThreadContext, alone), kWord, 4);
  (void)b.call({"heddle_jit_atomics", {}, false},
               std::array{target.data, target.size, places, a, c, old, e.enabled_bits(),
                          b.binary(Binary::Or, alone, e.number(static_cast<unsigned>(op) | bytes << 8))});
  const bool good = dst.null || e.write_raw(dst, 0, b.load(old, 0, {integer_of(element), n}, 4), e.enabled());
  call_reference_at(e, unbound, done);
  return good;
}

unsigned stride_of(const CodegenContext& e, unsigned element) {
  const unsigned grf = e.grf_bytes(), bytes = e.lanes() * element;
  return (bytes + grf - 1) / grf * grf;
}

namespace {

/// The components that the message has.
std::vector<unsigned> components_of(const MemoryMessage& m) {
  std::vector<unsigned> components;
  for (unsigned c = 0; c < m.components; ++c)
    if ((m.mask >> c & 1u) != 0) components.push_back(c);
  return components;
}
/// Whether run_transfer can take the message.
bool fits_call(const CodegenContext& e, std::span<const unsigned> components) {
  return e.lanes() > 1 && !components.empty() && components.back() < 8;
}
/// One message of vectors in the making: its ways of reaching memory, each of which ends in block `done` with what was
/// read in `results`.
struct Transfer {
  CodegenContext& e;
  const MemoryBytes& target;
  const MemoryMessage& m;
  std::vector<unsigned> places;  ///< of the components that are there
  std::vector<Value> values;     ///< to be written, one for each of `places`
  std::vector<Value> results;    ///< storage of what is read
  Value enabled, first;
  Block done;

  Builder& b() { return e.b(); }
  unsigned lanes() const { return e.lanes(); }
  Element stored() const { return integer_of(m.bytes); }
  std::uint64_t alignment_mask() const { return ~std::uint64_t{m.aligned ? std::min(m.bytes, 4u) - 1 : 0}; }
  Value long_of(Value word) { return b().cast(Cast::ZExt, word, kLong); }

  /// Whether lane k's offset is offsets[0] + k * step, for all lanes.
  Value in_steps(std::uint64_t step) { return every(b().in_steps(m.offsets, step)); }
  Value every(Value mask) { return b().compare(Compare::Eq, b().bits_of_mask(mask), e.number(e.all_lanes())); }
  Value both(Value x, Value y) { return b().binary(Binary::And, x, y); }
  /// Bytes [first, first + bytes) are in the buffer; without one it has no bytes.
  Value fits(unsigned bytes) {
    const Value most = b().binary(Binary::Sub, long_of(target.size), b().constant(kLong, bytes));
    return b().compare(Compare::Sle, long_of(first), most);
  }
  Value at(unsigned component) {
    const Value aligned = b().binary(Binary::And, first, e.number(alignment_mask() & 0xffffffffu));
    return b().at_byte(b().offset(target.data, long_of(aligned)), component * m.bytes);
  }
  /// Where the conditions hold, which are tested one after another; returns where they don't.
  Block otherwise(std::string_view name, std::initializer_list<Value> conditions) {
    const Block no = b().block("else");
    for (const Value condition : conditions) {
      if (!condition) continue;
      const Block yes = b().block(name);
      b().branch(condition, yes, no);
      b().at(yes);
    }
    return no;
  }

  /// Neighboring lanes at neighboring addresses: a plain access for each component. What lanes that don't run would
  /// read is there as well.
  void rows() {
    const unsigned last = places.back();
    const bool masks = m.write && !e.always();
    const bool narrow = m.bytes < 4;  // AVX2 has no masked stores of these
    const Block next = otherwise(
        "rows", {in_steps(m.bytes), fits((lanes() + last) * m.bytes), masks && narrow ? every(enabled) : Value{}});
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!m.write)
        b().store(results[i], 0, b().load(at(places[i]), 0, {stored(), lanes()}, 1), 1);
      else if (masks && !narrow)
        b().masked_store(at(places[i]), enabled, values[i]);
      else
        b().store(at(places[i]), 0, values[i], 1);
    }
    b().jump(done);
    b().at(next);
  }

  /// Lanes that read whole records one behind another: the block is read and taken apart.
  void records() {
    const auto count = static_cast<unsigned>(places.size());
    const unsigned n = lanes();
    const Block next = otherwise("records", {in_steps(count * m.bytes), fits(n * count * m.bytes)});
    const Value block = b().load(at(0), 0, {stored(), n * count}, 1);
    for (unsigned c = 0; c < count; ++c) {
      std::array<int, machine::kMaxLanes> from{};
      for (unsigned k = 0; k < n; ++k) from[k] = static_cast<int>(k * count + c);
      b().store(results[c], 0, b().shuffle(block, block, std::span(from).first(n)), 1);
    }
    b().jump(done);
    b().at(next);
  }

  /// Lanes that read three or four dwords each, all of them there: a load for each lane, and they are taken apart four
  /// by four. Gathers of the dwords take four times as long.
  void read_records() {
    constexpr unsigned kBytes = 16;
    const unsigned n = lanes();
    Value good =
        b().compare(Compare::Ule, m.offsets, b().splat(b().binary(Binary::Sub, target.size, e.number(kBytes)), n));
    if (!e.always()) good = both(good, enabled);
    const Value family = b().compare(Compare::Uge, target.size, e.number(kBytes));
    const Block next = otherwise("read", {family, every(good)});
    Value offsets = m.offsets;
    if (m.aligned) offsets = both(offsets, e.lanes_of(alignment_mask(), Element::I32));
    // Of each 128 bits of `rows[j]`: the record of lane 4g + j.
    std::array<Value, 4> rows;
    for (unsigned j = 0; j < 4; ++j) {
      std::vector<Value> pieces;
      for (unsigned g = 0; g < n; g += 4)
        pieces.push_back(b().load(b().offset(target.data, long_of(b().extract(offsets, g + j))), 0, {stored(), 4}, 1));
      rows[j] = joined(std::move(pieces));
    }
    for (unsigned half = 0; half < 2; ++half) {
      const Value low = zipped(rows[0], rows[1], 1, half), high = zipped(rows[2], rows[3], 1, half);
      for (unsigned k = 0; k < 2; ++k)
        if (const unsigned c = 2 * half + k; c < results.size()) b().store(results[c], 0, zipped(low, high, 2, k), 1);
    }
    b().jump(done);
    b().at(next);
  }

  /// One behind the other; their number is a power of two.
  Value joined(std::vector<Value> pieces) {
    for (unsigned n = b().type(pieces[0]).lanes; pieces.size() > 1; n *= 2) {
      std::vector<int> all;
      for (unsigned k = 0; k < 2 * n; ++k) all.push_back(static_cast<int>(k));
      for (std::size_t k = 0; k < pieces.size() / 2; ++k)
        pieces[k] = b().shuffle(pieces[2 * k], pieces[2 * k + 1], all);
      pieces.resize(pieces.size() / 2);
    }
    return pieces[0];
  }

  /// Of each four lanes the first or the second half of x and that of y, `size` lanes of each in turns.
  Value zipped(Value x, Value y, unsigned size, unsigned half) {
    const unsigned n = lanes();
    std::vector<int> from;
    for (unsigned g = 0; g < n; g += 4)
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned lane = g + 2 * half + k / (2 * size) * size + k % size, of = k / size % 2;
        from.push_back(static_cast<int>(of * n + lane));
      }
    return b().shuffle(x, y, from);
  }

  /// Whether records of so many bytes never overlap in part: all are the same distance from multiples of their size, or
  /// each lies the same distance behind the one before it, and that is no less than their size. Offsets that are
  /// rounded down to dwords keep such a distance.
  Value never_overlap(unsigned bytes) {
    const unsigned n = lanes();
    const Value apart = b().binary(Binary::Xor, m.offsets, b().splat(first, n));
    const Value alike =
        every(b().compare(Compare::Eq, both(apart, e.lanes_of(bytes - 1, Element::I32)), e.lanes_of(0, Element::I32)));
    const Value step = b().binary(Binary::Sub, b().extract(m.offsets, 1), first);
    std::vector<std::uint64_t> numbers;
    for (unsigned k = 0; k < n; ++k) numbers.push_back(k);
    const Value expected =
        b().binary(Binary::Add, b().splat(first, n),
                   b().binary(Binary::Mul, b().splat(step, n), b().constants(Element::I32, numbers)));
    constexpr std::uint32_t kMaxStep = 1u << 20;  // which is not lost in sums
    const Value wide =
        both(b().compare(Compare::Uge, step, e.number(bytes)), b().compare(Compare::Ule, step, e.number(kMaxStep)));
    return b().binary(Binary::Or, alike, both(wide, every(b().compare(Compare::Eq, m.offsets, expected))));
  }

  /// Lanes that write whole records of two or four dwords: a store for each lane. The reference engine writes
  /// component after component, which shows where records overlap in part.
  void write_records() {
    const auto count = static_cast<unsigned>(places.size());
    const unsigned n = lanes(), bytes = count * 4;
    Value good =
        b().compare(Compare::Ule, m.offsets, b().splat(b().binary(Binary::Sub, target.size, e.number(bytes)), n));
    if (!e.always()) good = both(good, enabled);
    const Value family = b().compare(Compare::Uge, target.size, e.number(bytes));
    const Block next = otherwise("write", {family, every(good), never_overlap(bytes)});
    Value offsets = m.offsets;
    if (m.aligned) offsets = both(offsets, e.lanes_of(alignment_mask(), Element::I32));
    std::array<Value, machine::kMaxLanes> record;
    const auto put = [&](Value vector, unsigned piece, unsigned lane) {
      // Records are elements of 64 bits, one or two of them.
      std::array<int, 2> from{};
      for (unsigned k = 0; k < count / 2; ++k) from[k] = static_cast<int>(piece * (count / 2) + k);
      record[lane] = b().shuffle(vector, vector, std::span(from).first(count / 2));
    };
    // Within each 128 bits: lanes 4g, 4g + 1 and 4g + 2, 4g + 3.
    const auto zip = [&](Value x, Value y, bool upper) {
      std::vector<int> from;
      for (unsigned g = 0; g < n; g += 4)
        for (unsigned k = 0; k < 2; ++k) {
          from.push_back(static_cast<int>(g + (upper ? 2 : 0) + k));
          from.push_back(static_cast<int>(n + g + (upper ? 2 : 0) + k));
        }
      return b().cast(Cast::Bits, b().shuffle(x, y, from), {Element::I64, n / 2});
    };
    const auto zip_long = [&](Value x, Value y, bool upper) {
      std::vector<int> from;
      for (unsigned g = 0; g < n / 2; g += 2) {
        from.push_back(static_cast<int>(g + (upper ? 1 : 0)));
        from.push_back(static_cast<int>(n / 2 + g + (upper ? 1 : 0)));
      }
      return b().shuffle(x, y, from);
    };
    for (unsigned half = 0; half < 2; ++half) {
      const Value low = zip(values[0], values[1], half != 0);
      if (count == 2) {
        for (unsigned g = 0; g < n; g += 4)
          for (unsigned k = 0; k < 2; ++k) put(low, g / 2 + k, g + 2 * half + k);
        continue;
      }
      const Value high = zip(values[2], values[3], half != 0);
      for (unsigned k = 0; k < 2; ++k) {
        const Value records = zip_long(low, high, k != 0);
        for (unsigned g = 0; g < n; g += 4) put(records, g / 4, g + 2 * half + k);
      }
    }
    // In the order of lanes: of several with one record the last one stays.
    for (unsigned lane = 0; lane < n; ++lane)
      b().store(b().offset(target.data, long_of(b().extract(offsets, lane))), 0, record[lane], 1);
    b().jump(done);
    b().at(next);
  }

  /// Every lane on its own, by a call: written out it is lane by lane on most processors, some hundred instructions.
  void write_by_call() {
    const unsigned n = lanes(), size = n * m.bytes;
    machine::jit::TransferShape shape{n, m.bytes, 0, m.aligned, m.write};
    for (const unsigned c : places) shape.components |= 1u << c;
    const Value offsets = b().temporary(n * 4, 64, "places");
    const Value all = b().temporary(static_cast<unsigned>(places.size()) * size, 64, "values");
    b().store(offsets, 0, m.offsets, 4);
    for (std::size_t i = 0; i < values.size(); ++i) b().store(all, static_cast<std::int64_t>(i * size), values[i], 1);
    (void)b().call({"heddle_jit_transfer", {}, false}, std::array{target.data, target.size, offsets, all,
                                                                  b().bits_of_mask(enabled), e.number(shape.word())});
    b().jump(done);
  }

  /// Every lane on its own.
  void apart() {
    const unsigned n = lanes();
    if (m.write && fits_call(e, places)) return write_by_call();
    Value offsets = m.offsets;
    if (m.aligned && m.bytes > 1)
      offsets = b().binary(Binary::And, offsets, e.lanes_of(alignment_mask(), Element::I32));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const unsigned c = places[i];
      const Value need = e.number((c + 1) * m.bytes);
      const Value family = b().compare(Compare::Uge, target.size, need);
      const Value inside = b().compare(Compare::Ule, offsets, b().splat(b().binary(Binary::Sub, target.size, need), n));
      const Value mask = both(both(inside, b().splat(family, n)), enabled);
      const Value base = b().at_byte(target.data, c * m.bytes);
      if (m.write)
        b().scatter(base, offsets, mask, values[i]);
      else
        b().store(results[i], 0, b().gather(base, offsets, mask, stored()), 1);
    }
    b().jump(done);
  }
};

}  // namespace

namespace {

/// The message by a call, where code is made at once. `reach(places, values, lanes, shape, rare)`: from what `places`
/// says; where that cannot be, the way goes on at `rare`.
template <typename Reach>
bool transfer_by_call(CodegenContext& e, const MemoryMessage& m, std::span<const unsigned> components,
                      const Reach& reach) {
  Builder& b = e.b();
  const unsigned n = e.lanes(), stride = stride_of(e, m.element), size = n * m.bytes;
  const Element element = integer_of(m.element), stored = integer_of(m.bytes);
  machine::jit::TransferShape shape{n, m.bytes, 0, m.aligned, m.write};
  for (const unsigned c : components) shape.components |= 1u << c;
  const auto count = static_cast<unsigned>(components.size());
  const unsigned address = machine::jit::element_bits(b.type(m.offsets).element) / 8;
  const Value places = b.temporary(n * address, 64, "places"), values = b.temporary(count * size, 64, "values");
  for (unsigned i = 0; i < count && m.write; ++i) {
    Value value = e.read_raw(*m.data, i * stride, m.element, n);
    if (!value) return false;
    if (m.bytes < m.element) value = b.cast(Cast::Trunc, value, {stored, n});
    b.store(values, std::int64_t{i} * size, value, 1);
  }
  b.store(places, 0, m.offsets, address);
  const Value enabled = e.enabled(), bits = b.bits_of_mask(enabled);
  b.step();
  const Block rare = b.block("unbound"), done = b.block("done");
  reach(places, values, bits, e.number(shape.word()), rare);
  bool good = true;
  for (unsigned i = 0; i < count && !m.write; ++i) {
    Value value = b.load(values, std::int64_t{i} * size, {stored, n}, 1);
    if (m.bytes < m.element) value = b.cast(Cast::ZExt, value, {element, n});
    good = e.write_raw(*m.data, i * stride, value, e.enabled()) && good;
  }
  call_reference_at(e, rare, done);
  return good;
}

bool data_fits(CodegenContext& e, const MemoryMessage& m, std::size_t count) {
  if (m.data->kind != isa::OperandKind::Raw) return false;
  const unsigned stride = stride_of(e, m.element), bytes = e.lanes() * m.element;
  for (unsigned i = 0; i < count; ++i)
    if (!(m.write ? e.raw_fits(*m.data, i * stride, bytes) : e.takes_raw(*m.data, i * stride, bytes))) return false;
  return true;
}

}  // namespace

bool transfer(CodegenContext& e, const MemoryBytes& target, const MemoryMessage& m) {
  Builder& b = e.b();
  const unsigned n = e.lanes();
  const unsigned stride = stride_of(e, m.element);
  Transfer t{e, target, m, components_of(m), {}, {}, {}, {}, {}};
  const auto count = static_cast<unsigned>(t.places.size());
  if (!data_fits(e, m, count)) return false;
  if (target.by_lane) return read_chosen(e, target, m, t.places);
  if (b.quick() && fits_call(e, t.places))
    return transfer_by_call(
        e, m, t.places, [&](Value places, Value values, Value lanes, Value shape, const Block& rare) {
          const Block bound = b.block("bound");
          b.branch_unlikely(b.compare(Compare::Eq, target.data, b.constant(kPointer, 0)), rare, bound);
          b.at(bound);
          (void)b.call({"heddle_jit_transfer", {}, false},
                       std::array{target.data, target.size, places, values, lanes, shape});
        });
  const Element element = integer_of(m.element), stored = integer_of(m.bytes);
  const machine::jit::VectorType lanes{element, n}, bytes{stored, n};
  for (unsigned i = 0; i < count; ++i) {
    if (!m.write) {
      t.results.push_back(b.storage(n * m.bytes, 64, "loaded"));
      continue;
    }
    Value value = e.read_raw(*m.data, i * stride, m.element, n);
    if (!value) return false;
    if (m.bytes < m.element) value = b.cast(Cast::Trunc, value, bytes);
    t.values.push_back(value);
  }
  t.enabled = e.enabled();
  t.done = b.block("there");
  const Block bound = b.block("bound"), unbound = b.block("unbound"), done = b.block("done");
  if (n > 1 && count != 0) {
    t.first = b.extract(m.offsets, 0);
    t.rows();
    const bool whole = count == t.places.back() + 1;
    if (whole && count > 1 && !m.write && m.bytes >= 4) t.records();
    if (whole && (count == 3 || count == 4) && !m.write && m.bytes == 4 && n % 4 == 0) t.read_records();
    if (whole && (count == 2 || count == 4) && m.write && m.bytes == 4 && n % 4 == 0) t.write_records();
  }
  b.branch_unlikely(b.compare(Compare::Eq, target.data, b.constant(kPointer, 0)), unbound, bound);
  b.at(bound);
  t.apart();
  b.at(t.done);
  bool good = true;
  for (unsigned i = 0; i < count && !m.write; ++i) {
    Value value = b.load(t.results[i], 0, bytes, 1);
    if (m.bytes < m.element) value = b.cast(Cast::ZExt, value, lanes);
    good = e.write_raw(*m.data, i * stride, value, t.enabled) && good;
  }
  call_reference_at(e, unbound, done);
  return good;
}

bool transfer_flat(CodegenContext& e, MemoryMessage m) {
  Builder& b = e.b();
  if (const std::vector<unsigned> components = components_of(m); b.quick() && fits_call(e, components)) {
    if (!data_fits(e, m, components.size())) return false;
    return transfer_by_call(
        e, m, components, [&](Value places, Value values, Value lanes, Value shape, const Block& rare) {
          const std::uint32_t site = flat_site(e);
          const Value reached = b.call({"heddle_jit_transfer_flat", kWord, true},
                                       std::array{e.function().context, places, values, lanes, shape, e.number(site)});
          const Block there = b.block("there");
          b.branch_unlikely(b.compare(Compare::Eq, reached, e.number(0)), rare, there);
          b.at(there);
        });
  }
  if (m.aligned && m.bytes > 1)
    m.offsets = b.binary(Binary::And, m.offsets, e.lanes_of(~std::uint64_t{std::min(m.bytes, 4u) - 1}, Element::I64));
  m.aligned = false;
  unsigned last = 0;
  for (unsigned c = 0; c < m.components; ++c)
    if ((m.mask >> c & 1u) != 0) last = c;
  const MemoryBytes target = flat_target(e, m.offsets, (last + 1) * m.bytes);
  return transfer(e, target, m);
}

bool emit_flat_atomics(CodegenContext& e, Value addresses, machine::AtomicOp op, unsigned bytes, const Operand& src0,
                       const Operand& src1, const Operand& dst) {
  addresses = e.b().binary(Binary::And, addresses, e.lanes_of(~std::uint64_t{bytes - 1}, Element::I64));
  const MemoryBytes target = flat_target(e, addresses, bytes);
  return emit_atomics(e, target, addresses, op, bytes, src0, src1, dst);
}

bool transfer_block(CodegenContext& e, const MemoryBytes& target, Value offset, unsigned bytes, const Operand& data,
                    bool write) {
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
  const Value family = b.compare(Compare::Uge, target.size, need);
  const Value inside = b.compare(Compare::Ule, offset, b.binary(Binary::Sub, target.size, need));
  const Value bound = b.compare(Compare::Ne, target.data, b.constant(kPointer, 0));
  const Block plain = b.block("plain"), rare = b.block("rare"), done = b.block("done");
  b.branch(b.binary(Binary::And, b.binary(Binary::And, family, inside), bound), plain, rare);
  b.at(plain);
  bool good = true;
  const Value at = b.offset(target.data, b.cast(Cast::ZExt, offset, kLong));
  if (write)
    b.store(at, 0, values, 1);
  else
    good = e.write_raw(data, 0, b.load(at, 0, {Element::I32, count}, 1), {});
  call_reference_at(e, rare, done);
  return good;
}

}  // namespace heddle::instructions::jit_memory
