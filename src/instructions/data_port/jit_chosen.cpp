// SPDX-License-Identifier: MIT
#include "instructions/data_port/jit_chosen.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace heddle::instructions::jit_memory {

using machine::jit::HandleView;
using machine::jit::integer_of;
using machine::jit::ThreadContext;

namespace {
constexpr machine::jit::VectorType kWord{Element::I32, 0}, kPointer{Element::Pointer, 0}, kLong{Element::I64, 0};

/// Of each lane a row of elements, one behind the other, at base + offsets[k] (I32 or I64): a load for each lane.
/// Gathers of the elements take two to three times as long on some processors and no less on others.
Value load_rows(Builder& b, Value base, Value offsets, machine::jit::VectorType row) {
  const unsigned n = b.type(offsets).lanes;
  std::vector<Value> rows;
  for (unsigned k = 0; k < n; ++k) {
    Value at = b.extract(offsets, k);
    if (b.type(at).element != Element::I64) at = b.cast(Cast::ZExt, at, kLong);
    rows.push_back(b.load(b.offset(base, at), 0, row, 4));
  }
  for (unsigned lanes = row.lanes; rows.size() > 1; lanes *= 2) {
    std::vector<int> both(std::size_t{2} * lanes);
    std::iota(both.begin(), both.end(), 0);
    for (std::size_t k = 0; k < rows.size() / 2; ++k) rows[k] = b.shuffle(rows[2 * k], rows[2 * k + 1], both);
    rows.resize(rows.size() / 2);
  }
  return rows.front();
}
/// Of rows of `count` elements the ones with that number.
Value column_of(Builder& b, Value rows, unsigned count, unsigned which) {
  std::vector<int> lanes(b.type(rows).lanes / count);
  for (std::size_t k = 0; k < lanes.size(); ++k) lanes[k] = static_cast<int>(count * k + which);
  return b.shuffle(rows, rows, lanes);
}
}  // namespace

ChosenBytes chosen_by_handles(CodegenContext& e, Value handles, Value enabled) {
  Builder& b = e.b();
  const unsigned n = b.type(handles).lanes;
  const auto field = [&](std::size_t at, machine::jit::VectorType type) {
    return b.load(e.function().context, static_cast<std::int64_t>(at), type, 8);
  };
  const Value count = b.cast(Cast::Trunc, field(offsetof(ThreadContext, handle_count), kLong), kWord);
  const Value inside = b.binary(Binary::And, b.compare(Compare::Ult, handles, b.splat(count, n)), enabled);
  static_assert(offsetof(HandleView, data) == 0 && offsetof(HandleView, size) == 8 && offsetof(HandleView, run) == 12 &&
                sizeof(HandleView) == 16);
  const Value known = b.select(inside, handles, b.constant({Element::I32, n}, 0));  // there is a first one
  const Value at = b.binary(Binary::Mul, known, b.constant({Element::I32, n}, sizeof(HandleView)));
  const Value pairs = load_rows(b, field(offsetof(ThreadContext, handles), kPointer), at, {Element::I64, 2});
  const Value words = b.cast(Cast::Bits, column_of(b, pairs, 2, 1), {Element::I32, 2 * n});
  const Value same =
      b.compare(Compare::Eq, column_of(b, words, 2, 1), b.splat(field(offsetof(ThreadContext, run), kWord), n));
  return {{column_of(b, pairs, 2, 0), column_of(b, words, 2, 0)}, b.binary(Binary::And, inside, same)};
}

bool can_read_chosen(CodegenContext& e) {
  const Operand *const to = e.named("dst"), *const offsets = e.named("offsets");
  if (to == nullptr || offsets == nullptr || to->kind != isa::OperandKind::Raw || to->null ||
      !e.raw_fits(*offsets, 0, e.lanes() * 4))
    return false;
  const bool four = e.named("mask") != nullptr;
  const unsigned bytes = four ? 4 : 1u << (e.integer("num") & 3u), element = std::max(bytes, 4u),
                 count = four ? static_cast<unsigned>(__builtin_popcountll(e.integer("mask") & 15u)) : 1;
  for (unsigned i = 0; i < count; ++i)
    if (!e.takes_raw(*to, i * stride_of(e, element), e.lanes() * element)) return false;
  return count != 0;
}

namespace {

/// A read whose lanes have buffers of their own.
struct ChosenRead {
  CodegenContext& e;
  const MemoryBytes& target;
  const MemoryMessage& m;
  Value offsets, addresses;

  Builder& b() { return e.b(); }
  unsigned lanes() const { return e.lanes(); }
  Value number(std::uint64_t value, Element element = Element::I32) { return e.lanes_of(value, element); }
  Value both(Value x, Value y) { return b().binary(Binary::And, x, y); }

  /// The enabled lanes whose first `bytes` bytes are there.
  Value inside(unsigned bytes) {
    const Value need = number(bytes), family = b().compare(Compare::Uge, target.size, need);
    return both(both(b().compare(Compare::Ule, offsets, b().binary(Binary::Sub, target.size, need)), family),
                e.enabled());
  }
  Value gathered(unsigned component) {
    const Value at = b().binary(Binary::Add, addresses, number(std::uint64_t{component} * m.bytes, Element::I64));
    return b().gather(b().constant(kPointer, 0), at, inside((component + 1) * m.bytes), integer_of(m.bytes));
  }
  bool write(unsigned nth, Value value) {
    const Element element = integer_of(m.element);
    if (m.bytes < m.element) value = b().cast(Cast::ZExt, value, {element, lanes()});
    return e.write_raw(*m.data, nth * stride_of(e, m.element), value, e.enabled());
  }

  /// Dwords of each lane; of lanes that are not in the mask those of the first handle, which is there.
  Value rows(Value mask, unsigned dwords) {
    const auto first = [&](machine::jit::VectorType type) {
      return b().load(e.function().context, offsetof(ThreadContext, handles), type, 8);
    };
    static_assert(sizeof(HandleView) == 16);
    const Value apart = b().binary(Binary::Sub, addresses, b().splat(first(kLong), lanes()));
    return load_rows(b(), first(kPointer), b().select(mask, apart, number(0, Element::I64)), {Element::I32, dwords});
  }
  /// Two to four, where each enabled lane has all of them, and what its load reads beside them.
  bool several(unsigned count) {
    const unsigned dwords = count == 3 ? 4 : count;
    const Block whole = b().block("whole"), parts = b().block("parts"), done = b().block("read");
    std::vector<Value> results;
    for (unsigned c = 0; c < count; ++c) results.push_back(b().storage(lanes() * 4, 64, "chosen_words"));
    const Value mask = inside(4 * dwords);
    b().branch_unlikely(b().compare(Compare::Ne, b().bits_of_mask(mask), b().bits_of_mask(e.enabled())), parts, whole);
    b().at(parts);
    for (unsigned c = 0; c < count; ++c) b().store(results[c], 0, gathered(c), 4);
    b().jump(done);
    b().at(whole);
    const Value all = rows(mask, dwords);
    for (unsigned c = 0; c < count; ++c) b().store(results[c], 0, column_of(b(), all, dwords, c), 4);
    b().jump(done);
    b().at(done);
    bool good = true;
    for (unsigned c = 0; c < count; ++c) good = write(c, b().load(results[c], 0, {Element::I32, lanes()}, 4)) && good;
    return good;
  }
};

}  // namespace

bool read_chosen(CodegenContext& e, const MemoryBytes& target, const MemoryMessage& m,
                 std::span<const unsigned> components) {
  Builder& b = e.b();
  if (m.write) return false;
  Value offsets = m.offsets;
  if (m.aligned && m.bytes > 1)
    offsets = b.binary(Binary::And, offsets, e.lanes_of(~std::uint64_t{std::min(m.bytes, 4u) - 1}, Element::I32));
  const Value addresses = b.binary(Binary::Add, target.data, b.cast(Cast::ZExt, offsets, {Element::I64, e.lanes()}));
  ChosenRead read{e, target, m, offsets, addresses};
  const auto count = static_cast<unsigned>(components.size());
  if (count > 1 && m.bytes == 4 && m.element == 4 && components.back() + 1 == count) return read.several(count);
  bool good = true;
  for (unsigned i = 0; i < count; ++i) good = read.write(i, read.gathered(components[i])) && good;
  return good;
}

Value first_of_each(Builder& b, Value handles, Value enabled) {
  const unsigned n = b.type(handles).lanes;
  if (const Value earlier = b.earlier_alike(handles))
    return b.compare(Compare::Eq, b.binary(Binary::And, earlier, b.splat(b.bits_of_mask(enabled), n)),
                     b.constant({Element::I32, n}, 0));
  std::vector<std::uint64_t> none;
  for (unsigned k = 0; k < n; ++k) none.push_back(0x80000000u + k);
  const Value others = b.constants(Element::I32, none), own = b.select(enabled, handles, others);
  Value again;
  for (unsigned by = 1; by < n; ++by) {
    std::array<int, machine::kMaxLanes> from{};
    for (unsigned k = 0; k < n; ++k) from[k] = static_cast<int>(k < by ? n + k : k - by);
    const Value one = b.compare(Compare::Eq, own, b.shuffle(own, others, std::span(from).first(n)));
    again = again ? b.binary(Binary::Or, again, one) : one;
  }
  return b.compare(Compare::Eq, again, b.constant({Element::Bool, n}, 0));
}

}  // namespace heddle::instructions::jit_memory
