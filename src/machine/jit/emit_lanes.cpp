// SPDX-License-Identifier: MIT
// Which lanes an instruction runs for: execution mask, predicates; and what of registers belongs to which lane.
#include <algorithm>

#include "machine/jit/emit.hpp"

namespace heddle::machine::jit {

namespace {
constexpr VectorType kWord{Element::I32, 0};
}

LaneSet LaneSet::make(Builder& b, unsigned lanes, std::string_view name) {
  return {lanes == 0 ? b.storage(4, 4, name) : b.lane_storage(lanes, name), lanes};
}
Value LaneSet::load(Builder& b) const {
  return lanes == 0 ? b.load(storage, 0, kWord, 4) : b.load(storage, 0, {Element::Bool, lanes}, 1);
}
void LaneSet::store(Builder& b, Value value) const { b.store(storage, 0, value, lanes == 0 ? 4 : 1); }
Value LaneSet::constant(Builder& b, std::uint32_t bits) const { return from_bits(b, b.constant(kWord, bits)); }
Value LaneSet::bits(Builder& b, Value value) const { return lanes == 0 ? value : b.bits_of_mask(value); }
Value LaneSet::from_bits(Builder& b, Value word) const { return lanes == 0 ? word : b.mask_of_bits(word, lanes); }
Value LaneSet::any(Builder& b, Value value) const {
  return b.compare(Compare::Ne, bits(b, value), b.constant(kWord, 0));
}

/// This instruction's lanes of a set.
Value CodegenContext::lanes_of_set(const LaneSet& set) {
  const unsigned n = d_.lanes, first = d_.mask_offset;
  const Value value = set.load(b_);
  if (set.lanes == 0) return b_.mask_of_bits(first == 0 ? value : b_.binary(Binary::LShr, value, number(first)), n);
  if (first == 0 && n == set.lanes) return value;
  std::array<int, kMaxLanes> from{};
  for (unsigned k = 0; k < n; ++k) from[k] = static_cast<int>(std::min(first + k, set.lanes));
  return b_.shuffle(value, b_.constant({Element::Bool, set.lanes}, 0), std::span(from).first(n));
}

Value CodegenContext::spread(Value mask) {
  const LaneSet& set = function_.active;
  const unsigned n = d_.lanes, first = d_.mask_offset;
  if (set.lanes == 0) {
    const Value bits = b_.bits_of_mask(mask);
    return first == 0 ? bits : b_.binary(Binary::Shl, bits, number(first));
  }
  if (first == 0 && n == set.lanes) return mask;
  std::array<int, kMaxLanes> from{};
  for (unsigned k = 0; k < set.lanes; ++k) from[k] = static_cast<int>(k >= first && k < first + n ? k - first : n);
  return b_.shuffle(mask, b_.constant({Element::Bool, n}, 0), std::span(from).first(set.lanes));
}

Value CodegenContext::masked() { return d_.no_mask ? every_lane() : lanes_of_set(function_.active); }

Value CodegenContext::predicate(std::uint32_t id) {
  record_predicate(id, false, false);
  if (id >= function_.predicates.size() || !function_.predicates[id].storage)
    return b_.constant({Element::Bool, d_.lanes}, 0);
  return lanes_of_set(function_.predicates[id]);
}

Value CodegenContext::predicated() {
  if (!is_predicated()) return every_lane();
  const isa::PredicateUse use = d_.predicate;
  const bool own = lane_wise_;
  if (use.combine() != 0) lane_wise_ = false;
  Value mask = predicate(use.id());
  lane_wise_ = own;
  if (use.combine() != 0) {
    const Value bits = b_.bits_of_mask(mask);
    mask = b_.splat(
        use.combine() == 1 ? b_.compare(Compare::Ne, bits, number(0)) : b_.compare(Compare::Eq, bits, number(all_)),
        d_.lanes);
  }
  return use.inverse() ? b_.binary(Binary::Xor, mask, every_lane()) : mask;
}

bool CodegenContext::always() const { return d_.no_mask && (!predicate_masks_ || !is_predicated()); }

Value CodegenContext::enabled() {
  if (!predicate_masks_ || !is_predicated()) return masked();
  return d_.no_mask ? predicated() : b_.binary(Binary::And, masked(), predicated());
}

Value CodegenContext::enabled_bits() { return b_.bits_of_mask(enabled()); }

void CodegenContext::write_predicate(std::uint32_t id, Value mask, bool every) {
  record_predicate(id, true, every || !is_predicated());
  if (id >= function_.predicates.size() || !function_.predicates[id].storage) return;
  const LaneSet& set = function_.predicates[id];
  const unsigned n = d_.lanes, first = d_.mask_offset;
  if (!every && !(function_.unmasked_writes && !is_predicated())) {
    const Value lanes = enabled();
    mask = b_.binary(Binary::Or, b_.binary(Binary::And, mask, lanes),
                     b_.binary(Binary::And, lanes_of_set(set), b_.binary(Binary::Xor, lanes, every_lane())));
  }
  if (set.lanes == 0) {
    Value bits = b_.bits_of_mask(mask);
    if (first != 0) bits = b_.binary(Binary::Shl, bits, number(first));
    if (n != 32)
      bits = b_.binary(Binary::Or, bits, b_.binary(Binary::And, set.load(b_), number(~(std::uint64_t{all_} << first))));
    set.store(b_, bits);
    return;
  }
  if (first != 0 || n != set.lanes) {
    std::array<int, kMaxLanes> widen{}, mix{};
    for (unsigned k = 0; k < set.lanes; ++k) {
      const bool own = k >= first && k < first + n;
      widen[k] = own ? static_cast<int>(k - first) : -1;
      mix[k] = static_cast<int>(own ? set.lanes + k : k);
    }
    mask = b_.shuffle(set.load(b_), b_.shuffle(mask, mask, std::span(widen).first(set.lanes)),
                      std::span(mix).first(set.lanes));
  }
  set.store(b_, mask);
}

Value CodegenContext::whole_predicate(std::uint32_t id) {
  if (function_.recorder != nullptr) function_.recorder->touched_predicates.push_back(id);
  if (id >= function_.predicates.size() || !function_.predicates[id].storage) return {};
  const LaneSet& set = function_.predicates[id];
  return set.bits(b_, set.load(b_));
}

// --- what is touched ---

void CodegenContext::record(std::uint32_t begin, std::uint32_t end) {
  if (function_.recorder != nullptr) function_.recorder->touched.push_back({begin, end});
}

void CodegenContext::record_row(std::uint32_t begin, unsigned size, unsigned count, bool write, bool whole) {
  if (function_.recorder == nullptr) return;
  const bool lanes = lane_wise_ && count == d_.lanes && count % 8 == 0 && d_.mask_offset % 8 == 0;
  // Who reads without regard to the execution mask sees lanes that wait.
  if (!lanes || (d_.no_mask && !write)) return record(begin, begin + size * count);
  function_.recorder->rows.push_back({std::int64_t{begin} - std::int64_t{d_.mask_offset} * size,
                                      static_cast<std::uint8_t>(size), d_.mask_offset, static_cast<std::uint8_t>(count),
                                      write, whole});
}

void CodegenContext::record_predicate(std::uint32_t id, bool write, bool whole) {
  if (function_.recorder == nullptr) return;
  if (!lane_wise_ || d_.lanes % 8 != 0 || d_.mask_offset % 8 != 0 || (d_.no_mask && !write))
    return function_.recorder->touched_predicates.push_back(id);
  function_.recorder->predicates.push_back({id, d_.mask_offset, d_.lanes, write, whole});
}

}  // namespace heddle::machine::jit
