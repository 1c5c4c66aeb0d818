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

/// Two I64 of each lane, one behind the other, at base + offsets[k]. A load for each lane: gathers of both take three
/// times as long on some processors and no less on others.
Value load_pairs(Builder& b, Value base, Value offsets) {
  const unsigned n = b.type(offsets).lanes;
  std::vector<Value> rows;
  for (unsigned k = 0; k < n; ++k)
    rows.push_back(b.load(b.offset(base, b.extract(offsets, k)), 0, {Element::I64, 2}, 8));
  for (unsigned lanes = 2; rows.size() > 1; lanes *= 2) {
    std::vector<int> both(std::size_t{2} * lanes);
    std::iota(both.begin(), both.end(), 0);
    for (std::size_t k = 0; k < rows.size() / 2; ++k) rows[k] = b.shuffle(rows[2 * k], rows[2 * k + 1], both);
    rows.resize(rows.size() / 2);
  }
  return rows.front();
}
/// The first or the second of each pair.
Value part_of(Builder& b, Value pairs, unsigned which) {
  std::vector<int> lanes(b.type(pairs).lanes / 2);
  for (std::size_t k = 0; k < lanes.size(); ++k) lanes[k] = static_cast<int>(2 * k + which);
  return b.shuffle(pairs, pairs, lanes);
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
  const Value at = b.binary(Binary::Mul, b.cast(Cast::ZExt, known, {Element::I64, n}),
                            b.constant({Element::I64, n}, sizeof(HandleView)));
  const Value pairs = load_pairs(b, field(offsetof(ThreadContext, handles), kPointer), at);
  const Value data = part_of(b, pairs, 0), words = part_of(b, pairs, 1);
  const Value run = b.cast(Cast::ZExt, field(offsetof(ThreadContext, run), kWord), kLong);
  const Value same =
      b.compare(Compare::Eq, b.binary(Binary::LShr, words, b.constant({Element::I64, n}, 32)), b.splat(run, n));
  const Value there = b.compare(Compare::Ne, data, b.constant({Element::I64, n}, 0));
  return {{data, b.cast(Cast::Trunc, words, {Element::I32, n})},
          b.binary(Binary::And, inside, b.binary(Binary::And, same, there))};
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

bool read_chosen(CodegenContext& e, const MemoryBytes& target, const MemoryMessage& m,
                 std::span<const unsigned> components) {
  Builder& b = e.b();
  const unsigned n = e.lanes(), stride = stride_of(e, m.element);
  const Element element = integer_of(m.element), stored = integer_of(m.bytes);
  Value offsets = m.offsets;
  if (m.write) return false;
  if (m.aligned && m.bytes > 1)
    offsets = b.binary(Binary::And, offsets, e.lanes_of(~std::uint64_t{std::min(m.bytes, 4u) - 1}, Element::I32));
  const Value addresses = b.binary(Binary::Add, target.data, b.cast(Cast::ZExt, offsets, {Element::I64, n}));
  bool good = true;
  for (unsigned i = 0; i < components.size(); ++i) {
    const unsigned c = components[i];
    const Value need = e.lanes_of((c + 1) * m.bytes, Element::I32);
    const Value family = b.compare(Compare::Uge, target.size, need);
    const Value inside = b.compare(Compare::Ule, offsets, b.binary(Binary::Sub, target.size, need));
    const Value mask = b.binary(Binary::And, b.binary(Binary::And, inside, family), e.enabled());
    const Value at = b.binary(Binary::Add, addresses, e.lanes_of(c * m.bytes, Element::I64));
    Value value = b.gather(b.constant(kPointer, 0), at, mask, stored);
    if (m.bytes < m.element) value = b.cast(Cast::ZExt, value, {element, n});
    good = e.write_raw(*m.data, i * stride, value, e.enabled()) && good;
  }
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
