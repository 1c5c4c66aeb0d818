#include "machine/jit/emit.hpp"

#include <algorithm>

namespace heddle::machine::jit {

using isa::Modifier;
using isa::OperandKind;
using isa::Type;

bool Facts::meet(const Facts& other) {
  bool lost = false;
  const auto one = [&](std::optional<std::uint32_t>& a, const std::optional<std::uint32_t>& b) {
    if (!a || a == b) return;
    a.reset();
    lost = true;
  };
  one(control, other.control);
  for (std::size_t i = 0; i < states.size(); ++i) one(states[i], other.states[i]);
  for (std::size_t i = 0; i < address_roots.size(); ++i) one(address_roots[i], other.address_roots[i]);
  for (std::size_t i = 0; i < address_hints.size(); ++i) {
    const std::uint32_t theirs = other.address_hints[i];
    if (theirs == kNoRoot || address_hints[i] == theirs || address_hints[i] == kSeveral) continue;
    address_hints[i] = address_hints[i] == kNoRoot ? theirs : kSeveral;
    lost = true;
  }
  return lost;
}

Home* Frame::home(std::uint32_t position) {
  const auto next = std::ranges::upper_bound(homes, position, {}, &Home::begin);
  return next == homes.begin() ? nullptr : &*std::prev(next);
}

Emit::Emit(Builder& builder, Frame& frame, const Facts& facts, const Decoded& instruction)
    : b_(builder),
      frame_(frame),
      facts_(facts),
      d_(instruction),
      operands_(frame.object->operands.data() + instruction.first_operand),
      all_(instruction.lanes >= 32 ? 0xffffffffu : (1u << instruction.lanes) - 1) {
  if (facts.control) {
    modes_ = Modes::from(*facts.control);
    has_modes_ = modes_.rounding == Rounding::NearestEven && !modes_.alt;
  }
}

const Operand* Emit::named(std::string_view slot) const {
  const int index = d_.form->slot_index(slot);
  if (index < 0 || index >= d_.operand_count || operands_[index].kind == OperandKind::Absent) return nullptr;
  return &operands_[index];
}

const Operand* Emit::of_kind(OperandKind kind) const {
  for (unsigned i = 0; i < d_.operand_count; ++i)
    if (operands_[i].kind == kind) return &operands_[i];
  return nullptr;
}

std::uint64_t Emit::integer(std::string_view slot) const {
  const Operand* operand = named(slot);
  return operand != nullptr ? operand->value : 0;
}

// --- lanes ---

Value Emit::active_bits() { return b_.load(frame_.active, 0, {Element::I32, 0}, 4); }

Value Emit::masked_bits() {
  if (d_.no_mask) return number(all_);
  Value bits = active_bits();
  if (d_.mask_offset != 0) bits = b_.binary(Binary::LShr, bits, number(d_.mask_offset));
  return all_ == 0xffffffffu ? bits : b_.binary(Binary::And, bits, number(all_));
}

Value Emit::predicate_storage(std::uint32_t id) {
  if (id >= frame_.predicates.size()) return {};
  return frame_.predicates[id];
}

Value Emit::predicate_bits(std::uint32_t id) {
  const Value storage = predicate_storage(id);
  if (!storage) return number(0);
  Value bits = b_.load(storage, 0, {Element::I32, 0}, 4);
  if (d_.mask_offset != 0) bits = b_.binary(Binary::LShr, bits, number(d_.mask_offset));
  return all_ == 0xffffffffu ? bits : b_.binary(Binary::And, bits, number(all_));
}

void Emit::write_predicate(std::uint32_t id, Value bits, Value lanes) {
  const Value storage = predicate_storage(id);
  if (!storage) return;
  const Value shift = number(d_.mask_offset);
  if (d_.mask_offset != 0) {
    bits = b_.binary(Binary::Shl, bits, shift);
    lanes = b_.binary(Binary::Shl, lanes, shift);
  }
  const Value old = b_.load(storage, 0, {Element::I32, 0}, 4);
  const Value keep = b_.binary(Binary::And, old, b_.binary(Binary::Xor, lanes, number(0xffffffffu)));
  b_.store(storage, 0, b_.binary(Binary::Or, keep, b_.binary(Binary::And, bits, lanes)), 4);
}

Value Emit::predicated_bits() {
  if (!d_.predicate.present() || d_.form->traits.predicate_written) return number(all_);
  const isa::PredicateUse use = d_.predicate;
  Value bits = predicate_bits(use.id());
  if (use.combine() != 0) {
    const Value holds =
        use.combine() == 1 ? b_.compare(Compare::Ne, bits, number(0)) : b_.compare(Compare::Eq, bits, number(all_));
    bits = b_.select(holds, number(all_), number(0));
  }
  return use.inverse() ? b_.binary(Binary::Xor, bits, number(all_)) : bits;
}

bool Emit::always() const {
  return d_.no_mask && (!predicate_masks_ || !d_.predicate.present() || d_.form->traits.predicate_written);
}

Value Emit::enabled_bits() {
  const Value masked = masked_bits();
  if (!predicate_masks_ || !d_.predicate.present() || d_.form->traits.predicate_written) return masked;
  return b_.binary(Binary::And, masked, predicated_bits());
}

Value Emit::enabled() { return b_.mask_of_bits(enabled_bits(), d_.lanes); }

// --- variables ---

Emit::Span Emit::cover(std::uint32_t begin, std::uint32_t end) {
  Span span{frame_.home(begin), begin, end};
  if (span.home == nullptr || begin < span.home->begin || end > span.home->end) return {};
  const std::uint32_t unit = element_bits(span.home->natural) / 8;
  span.begin -= (begin - span.home->begin) % unit;
  span.end += (unit - (end - span.home->begin) % unit) % unit;
  return span.end <= span.home->end ? span : Span{};
}

Value Emit::load_span(const Span& span, Element as) {
  const unsigned unit = element_bits(span.home->natural) / 8, bytes = span.end - span.begin;
  const Value natural =
      b_.load(span.home->pointer, std::int64_t{span.begin} - span.home->base, {span.home->natural, bytes / unit}, unit);
  return as == span.home->natural ? natural : b_.cast(Cast::Bits, natural, {as, bytes * 8 / element_bits(as)});
}

void Emit::store_span(const Span& span, Value value) {
  const unsigned unit = element_bits(span.home->natural) / 8, bytes = span.end - span.begin;
  const VectorType natural{span.home->natural, bytes / unit};
  if (b_.type(value) != natural) value = b_.cast(Cast::Bits, value, natural);
  b_.store(span.home->pointer, std::int64_t{span.begin} - span.home->base, value, unit);
}

namespace {

/// Bytes from the first to behind the last element of a region.
std::pair<std::uint32_t, std::uint32_t> extent(const Operand& operand, unsigned lanes) {
  std::uint32_t low = operand.lane[0], high = operand.lane[0];
  for (unsigned k = 1; k < lanes; ++k) {
    low = std::min<std::uint32_t>(low, operand.lane[k]);
    high = std::max<std::uint32_t>(high, operand.lane[k]);
  }
  return {operand.base + low, operand.base + high + operand.size};
}

constexpr std::uint32_t kWidestSpan = 512;  ///< bytes that one region is gathered from

}  // namespace

Value Emit::load_lanes(std::uint32_t begin, const Operand& operand) {
  const unsigned n = d_.lanes;
  const auto [low, high] = extent(operand, n);
  if (high - low > kWidestSpan) return {};
  const Element element = integer_of(operand.size);
  Span span = cover(low, high);
  if (span.home == nullptr) return {};
  // A variable whose natural elements are wider is seen as elements of this operand's size.
  const unsigned unit = std::max(element_bits(span.home->natural) / 8u, 1u);
  if ((span.end - span.begin) % operand.size != 0 ||
      (operand.base + operand.lane[0] - span.begin) % operand.size != 0) {
    if (unit >= operand.size) return {};
    // Elements that don't fall on multiples of their own size: byte positions decide, so the start must be the element.
    if ((high - low) % operand.size != 0) return {};
    span.begin = low;
    span.end = high;
  }
  const Value all = load_span(span, element);
  const unsigned there = (span.end - span.begin) / operand.size;
  std::array<int, kMaxLanes> lanes{};
  bool same = there == n;
  for (unsigned k = 0; k < n; ++k) {
    const std::uint32_t at = begin + operand.lane[k] - span.begin;
    if (at % operand.size != 0) return {};
    lanes[k] = static_cast<int>(at / operand.size);
    same = same && lanes[k] == static_cast<int>(k);
  }
  return same ? all : pick(all, std::span(lanes).first(n));
}

std::optional<std::uint32_t> Emit::address_root(std::uint32_t id, unsigned first, unsigned count) const {
  std::optional<std::uint32_t> root;
  for (unsigned i = first; i < first + count; ++i) {
    const std::size_t at = std::size_t{id} * Registers::kAddressElements + i;
    if (i >= Registers::kAddressElements || at >= facts_.address_roots.size()) return std::nullopt;
    const std::uint32_t one = facts_.address_roots[at].value_or(facts_.address_hints[at]);
    if (one == kNoRoot || one == Facts::kSeveral || (root && *root != one)) return std::nullopt;
    root = one;
  }
  return root;
}

Value Emit::indirect_guard(const Operand& operand) {
  const unsigned n = d_.lanes;
  const unsigned per = operand.width == 0 ? n : operand.width, count = (n + per - 1) / per;
  const auto root = address_root(operand.id, operand.element, count);
  if (!root) return {};
  bool certain = true;
  for (unsigned i = 0; i < count; ++i)
    certain =
        certain &&
        facts_.address_roots[std::size_t{operand.id} * Registers::kAddressElements + operand.element + i].has_value();
  if (certain) return {};
  const Value words = read_address_words(operand.id, operand.element, count);
  if (!words) return {};
  const Value roots = b_.cast(Cast::Trunc, b_.binary(Binary::LShr, words, b_.constant({Element::I64, count}, 32)),
                              {Element::I32, count});
  std::array<int, kMaxLanes> lanes{};
  for (unsigned k = 0; k < n; ++k) lanes[k] = static_cast<int>(k / per);
  const Value wrong = b_.compare(Compare::Ne, pick(roots, std::span(lanes).first(n)), lanes_of(*root, Element::I32));
  return b_.compare(Compare::Eq, b_.binary(Binary::And, b_.bits_of_mask(wrong), enabled_bits()), number(0));
}

Value Emit::read_address_words(std::uint32_t id, unsigned element, unsigned count) {
  const std::size_t at = std::size_t{id} * Registers::kAddressElements + element;
  if (element + count > Registers::kAddressElements ||
      at + count > frame_.object->object->addresses.size() * std::size_t{Registers::kAddressElements})
    return {};
  return b_.load(frame_.addresses, static_cast<std::int64_t>(at * 8), {Element::I64, count}, 8);
}

void Emit::write_address_words(std::uint32_t id, unsigned element, Value words) {
  const std::size_t at = std::size_t{id} * Registers::kAddressElements + element;
  b_.store(frame_.addresses, static_cast<std::int64_t>(at * 8), words, 8);
}

/// Positions of all lanes, and which of them lie inside the variable that the addresses point into.
Value Emit::indirect_positions(const Operand& operand, Value& inside) {
  const unsigned n = d_.lanes;
  const unsigned per = operand.width == 0 ? n : operand.width, count = (n + per - 1) / per;
  const auto root = address_root(operand.id, operand.element, count);
  const Place* place = root ? frame_.object->layout.place(*root) : nullptr;
  if (place == nullptr) return {};
  const Value words = read_address_words(operand.id, operand.element, count);
  if (!words) return {};
  std::array<int, kMaxLanes> lanes{};
  for (unsigned k = 0; k < n; ++k) lanes[k] = static_cast<int>(k / per);
  Value start = b_.cast(Cast::Trunc, words, {Element::I32, count});
  start = b_.binary(Binary::Add, start, b_.constant({Element::I32, count}, static_cast<std::uint32_t>(operand.offset)));
  start = b_.binary(Binary::And, start, b_.constant({Element::I32, count}, 0xffff));  // 16-bit addresses wrap
  start = pick(start, std::span(lanes).first(n));
  std::array<std::uint64_t, kMaxLanes> steps{};
  for (unsigned k = 0; k < n; ++k) steps[k] = operand.lane[k];
  const Value positions = b_.binary(Binary::Add, start, b_.constants(Element::I32, std::span(steps).first(n)));
  if (place->root_end - place->root_begin < operand.size) return {};
  const Value offset = b_.binary(Binary::Sub, positions, lanes_of(place->root_begin, Element::I32));
  inside = b_.compare(Compare::Ule, offset, lanes_of(place->root_end - place->root_begin - operand.size, Element::I32));
  return positions;
}

Value Emit::read_bits(const Operand& operand) {
  const unsigned n = d_.lanes;
  const Element element = integer_of(operand.size);
  switch (operand.kind) {
    case OperandKind::Immediate: {
      if (operand.scalar) return b_.constant({element, n}, operand.value);
      std::array<std::uint64_t, kMaxLanes> bits{};
      for (unsigned k = 0; k < n; ++k) bits[k] = packed_element(operand.value, operand.source->type, k);
      return b_.constants(element, std::span(bits).first(n));
    }
    case OperandKind::Address: {
      const Value words = read_address_words(operand.id, operand.element, operand.width);
      if (!words) return {};
      std::array<int, kMaxLanes> lanes{};
      for (unsigned k = 0; k < n; ++k) lanes[k] = static_cast<int>(k % operand.width);
      return pick(b_.cast(Cast::Trunc, words, {Element::I16, operand.width}), std::span(lanes).first(n));
    }
    case OperandKind::Indirect: {
      Value inside;
      const Value positions = indirect_positions(operand, inside);
      return positions ? b_.gather(frame_.registers, positions, inside, element) : Value{};
    }
    case OperandKind::General:
    case OperandKind::Raw:
      if (operand.null) return b_.constant({element, n}, 0);
      return operand.in_bounds ? load_lanes(operand.base, operand) : Value{};
    default:
      return {};
  }
}

Value Emit::read_integer(const Operand& operand, unsigned bytes) {
  if (!isa::is_integer(operand.type) || operand.type == Type::V || operand.type == Type::UV) return {};
  Value value = read_bits(operand);
  if (!value) return {};
  const unsigned own = operand.size;
  const unsigned wide = std::max(own, bytes);  // modifiers need the whole source
  const VectorType target{integer_of(bytes), d_.lanes};
  const bool abs =
      (operand.modifier == Modifier::Abs || operand.modifier == Modifier::NegAbs) && isa::is_signed(operand.type);
  if (own < bytes) value = b_.cast(isa::is_signed(operand.type) ? Cast::SExt : Cast::ZExt, value, target);
  if (abs) {
    const Value zero = lanes_of(0, integer_of(wide));
    const Value negative = b_.compare(Compare::Slt, value, zero);
    value = b_.select(negative, b_.binary(Binary::Sub, zero, value), value);
  }
  if (own > bytes) value = b_.cast(Cast::Trunc, value, target);
  if (operand.modifier == Modifier::Neg || operand.modifier == Modifier::NegAbs)
    value = b_.binary(Binary::Sub, lanes_of(0, target.element), value);
  if (operand.modifier == Modifier::Not)
    value = b_.binary(Binary::Xor, value, lanes_of(~std::uint64_t{0}, target.element));
  return value;
}

// --- floats ---

Value Emit::flush(Value value) {
  const VectorType type = b_.type(value);
  const bool twice = type.element == Element::F64;
  const VectorType integer{twice ? Element::I64 : Element::I32, type.lanes};
  const Value bits = b_.cast(Cast::Bits, value, integer);
  const Value exponent = b_.binary(Binary::And, bits, b_.constant(integer, twice ? 0x7ff0000000000000u : 0x7f800000u));
  const Value sign = b_.binary(Binary::And, bits, b_.constant(integer, twice ? 0x8000000000000000u : 0x80000000u));
  const Value small = b_.compare(Compare::Eq, exponent, b_.constant(integer, 0));
  return b_.cast(Cast::Bits, b_.select(small, sign, bits), type);
}

Value Emit::canonical(Value value) {
  const VectorType type = b_.type(value);
  return b_.select(b_.compare(Compare::Funo, value, value),
                   b_.constant(type, type.element == Element::F64 ? kNanDouble : kNanSingle), value);
}

Value Emit::saturate_float(Value value) {
  const VectorType type = b_.type(value);
  const Value zero = b_.constant(type, 0),
              one = b_.constant(type, type.element == Element::F64 ? 0x3ff0000000000000u : 0x3f800000u);
  return b_.select(b_.compare(Compare::Fogt, value, zero), b_.select(b_.compare(Compare::Folt, value, one), value, one),
                   zero);
}

Value Emit::half_to_float(Value bits) {
  const unsigned n = b_.type(bits).lanes;
  return b_.cast(Cast::FExt, b_.cast(Cast::Bits, bits, {Element::Half, n}), {Element::F32, n});
}

Value Emit::modified_float(Value value, Modifier modifier) {
  if (modifier == Modifier::Abs || modifier == Modifier::NegAbs) value = b_.unary(Unary::FAbs, value);
  if (modifier == Modifier::Neg || modifier == Modifier::NegAbs) value = b_.unary(Unary::FNeg, value);
  return value;
}

Value Emit::read_float(const Operand& operand, Arithmetic arithmetic) {
  if (!has_modes_ || arithmetic == Arithmetic::Integer) return {};
  const VectorType single{Element::F32, d_.lanes}, twice{Element::F64, d_.lanes};
  const Type type = operand.type;
  if (type != Type::F && type != Type::HF && type != Type::DF) return {};
  if (arithmetic != Arithmetic::Double && type == Type::DF) return {};
  if (arithmetic == Arithmetic::Half && type != Type::HF) return {};
  const Value bits = read_bits(operand);
  if (!bits) return {};
  Value value;
  if (type == Type::DF) {
    value = b_.cast(Cast::Bits, bits, twice);
    if (!modes_.keep_double) value = flush(value);
  } else if (type == Type::F) {
    value = b_.cast(Cast::Bits, bits, single);
    if (!modes_.keep_single) value = flush(value);
  } else {
    Value half = bits;
    if (!modes_.keep_half) {
      const VectorType word{Element::I16, d_.lanes};
      const Value small =
          b_.compare(Compare::Eq, b_.binary(Binary::And, half, b_.constant(word, 0x7c00)), b_.constant(word, 0));
      half = b_.select(small, b_.binary(Binary::And, half, b_.constant(word, 0x8000)), half);
    }
    value = half_to_float(half);
  }
  if (arithmetic == Arithmetic::Double && type != Type::DF) value = b_.cast(Cast::FExt, value, twice);
  return modified_float(value, operand.modifier);
}

// --- writing ---

bool Emit::write_indirect(const Operand& operand, Value bits) {
  Value inside;
  const Value positions = indirect_positions(operand, inside);
  if (!positions) return false;
  b_.scatter(frame_.registers, positions, b_.binary(Binary::And, inside, enabled()), bits);
  return true;
}

bool Emit::takes_bits(const Operand& operand) {
  const unsigned n = d_.lanes;
  if (operand.kind == OperandKind::Indirect) {
    const unsigned per = operand.width == 0 ? n : operand.width;
    return address_root(operand.id, operand.element, (n + per - 1) / per).has_value();
  }
  if (operand.kind == OperandKind::Address)
    return operand.element + n <= Registers::kAddressElements && operand.id < frame_.object->object->addresses.size();
  if (operand.kind != OperandKind::General) return false;
  if (operand.null) return true;
  if (!operand.in_bounds) return false;
  const auto [low, high] = extent(operand, n);
  if (high - low > kWidestSpan) return false;
  const Span span = cover(low, high);
  if (span.home == nullptr || (span.end - span.begin) % operand.size != 0) return false;
  // Two lanes on one element are left to the reference engine.
  for (unsigned k = 0; k < n; ++k) {
    if ((operand.base + operand.lane[k] - span.begin) % operand.size != 0) return false;
    for (unsigned i = 0; i < k; ++i)
      if (operand.lane[i] == operand.lane[k]) return false;
  }
  return true;
}

bool Emit::write_bits(const Operand& operand, Value bits) {
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
  const auto [low, high] = extent(operand, n);
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
  if (plain && always()) {
    store_span(span, bits);
    return true;
  }
  const Value old = load_span(span, element);
  Value merged = bits;
  if (!always()) merged = b_.select(enabled(), bits, plain ? old : pick(old, from_old));
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

bool Emit::write_low(const Operand& operand, Value value) {
  if (!operand.is_register() && operand.kind != OperandKind::Address) return false;
  if (isa::is_float(operand.type) || operand.type == Type::Bool) return false;
  const VectorType to{integer_of(operand.size), d_.lanes};
  if (element_bits(b_.type(value).element) < element_bits(to.element)) return false;
  if (b_.type(value) != to) value = b_.cast(Cast::Trunc, value, to);
  return write_bits(operand, value);
}

Value Emit::clamp_integer(Value exact, Type type) {
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

bool Emit::write_exact(const Operand& operand, Value value) {
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

bool Emit::takes_float(const Operand& operand) const {
  if (!has_modes_ || !operand.is_register()) return false;
  switch (operand.type) {
    case Type::BF:
    case Type::Bool:
    case Type::V:
    case Type::UV:
    case Type::VF:
      return false;
    case Type::HF:
      return d_.arithmetic != Arithmetic::Double;
    default:
      return d_.arithmetic != Arithmetic::Integer;
  }
}

bool Emit::write_float(const Operand& operand, Value value) {
  if (!takes_float(operand)) return false;
  const unsigned n = d_.lanes;
  value = canonical(value);
  const VectorType half{Element::Half, n}, single{Element::F32, n}, twice{Element::F64, n};
  switch (d_.arithmetic) {
    case Arithmetic::Half: {
      Value bits = b_.cast(Cast::Bits, b_.cast(Cast::FTrunc, value, half), {Element::I16, n});
      if (!modes_.keep_half) {
        const VectorType word{Element::I16, n};
        const Value small =
            b_.compare(Compare::Eq, b_.binary(Binary::And, bits, b_.constant(word, 0x7c00)), b_.constant(word, 0));
        bits = b_.select(small, b_.binary(Binary::And, bits, b_.constant(word, 0x8000)), bits);
      }
      if (operand.type == Type::HF && !d_.saturate) return write_bits(operand, bits);
      value = half_to_float(bits);
      break;
    }
    case Arithmetic::Single:
      if (!modes_.keep_single) value = flush(value);
      break;
    case Arithmetic::Double:
      if (!modes_.keep_double) value = flush(value);
      break;
    case Arithmetic::Integer:
      return false;
  }
  if (d_.saturate && isa::is_float(operand.type)) value = saturate_float(value);
  const bool is_double = d_.arithmetic == Arithmetic::Double;
  switch (operand.type) {
    case Type::DF:
      if (!is_double) value = b_.cast(Cast::FExt, value, twice);
      return write_bits(operand, b_.cast(Cast::Bits, value, {Element::I64, n}));
    case Type::F:
      if (is_double) value = b_.cast(Cast::FTrunc, value, single);
      return write_bits(operand, b_.cast(Cast::Bits, value, {Element::I32, n}));
    case Type::HF:  // NUM-88: a subnormal source becomes zero, as it does by rounding
      return write_bits(operand, b_.cast(Cast::Bits, b_.cast(Cast::FTrunc, value, half), {Element::I16, n}));
    default:  // NUM-80
      return write_bits(operand, b_.cast(isa::is_signed(operand.type) ? Cast::FToS : Cast::FToU, value,
                                         {integer_of(operand.size), n}));
  }
}

// --- raw operands ---

bool Emit::raw_fits(const Operand& operand, unsigned at, unsigned bytes) const {
  return operand.null ||
         (operand.base >= operand.root_begin && std::uint64_t{operand.base} + at + bytes <= operand.root_end);
}

Value Emit::read_raw(const Operand& operand, unsigned at, unsigned size, unsigned count) {
  const Element element = integer_of(size);
  if (operand.null) return b_.constant({element, count}, 0);
  if (!raw_fits(operand, at, size * count)) return {};
  const std::uint32_t begin = operand.base + at, end = begin + size * count;
  const Span span = cover(begin, end);
  if (span.home == nullptr || (begin - span.begin) % size != 0 || (span.end - span.begin) % size != 0) return {};
  const Value all = load_span(span, element);
  const unsigned there = (span.end - span.begin) / size, first = (begin - span.begin) / size;
  if (there == count) return all;
  std::vector<int> lanes(count);
  for (unsigned k = 0; k < count; ++k) lanes[k] = static_cast<int>(first + k);
  return pick(all, lanes);
}

bool Emit::takes_raw(const Operand& operand, unsigned at, unsigned bytes) {
  if (operand.null) return true;
  if (!raw_fits(operand, at, bytes)) return false;
  const Span span = cover(operand.base + at, operand.base + at + bytes);
  return span.home != nullptr && span.begin == operand.base + at && span.end == span.begin + bytes;
}

bool Emit::write_raw(const Operand& operand, unsigned at, Value values, Value mask) {
  if (operand.null) return true;
  const VectorType type = b_.type(values);
  const unsigned size = element_bits(type.element) / 8, count = type.lanes;
  if (!takes_raw(operand, at, size * count)) return false;
  const Span span = cover(operand.base + at, operand.base + at + size * count);
  if (mask) values = b_.select(mask, values, load_span(span, type.element));
  store_span(span, values);
  return true;
}

}  // namespace heddle::machine::jit
