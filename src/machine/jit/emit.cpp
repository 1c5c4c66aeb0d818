// SPDX-License-Identifier: MIT
#include "machine/jit/emit.hpp"

#include <algorithm>

namespace heddle::machine::jit {

using isa::Modifier;
using isa::OperandKind;
using isa::Type;

bool KnownValues::meet(const KnownValues& other) {
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

VariableStorage* FunctionState::storage(std::uint32_t position) {
  const auto next = std::ranges::upper_bound(variables, position, {}, &VariableStorage::begin);
  return next == variables.begin() ? nullptr : &*std::prev(next);
}

CodegenContext::CodegenContext(Builder& builder, FunctionState& function, const KnownValues& known,
                               const Decoded& instruction)
    : Operands(*function.object, instruction),
      b_(builder),
      function_(function),
      known_(known),
      all_(instruction.lanes >= 32 ? 0xffffffffu : (1u << instruction.lanes) - 1) {
  if (known.control) {
    modes_ = Modes::from(*known.control);
    has_modes_ = modes_.rounding == Rounding::NearestEven && !modes_.alt;
  }
  if (function.recorder == nullptr) return;
  may_be_lane_wise_ = lane_wise_ = instruction.description->traits.lane_wise;
}

// --- variables ---

CodegenContext::Span CodegenContext::cover(std::uint32_t begin, std::uint32_t end) {
  Span span{function_.storage(begin), begin, end};
  if (span.storage == nullptr || begin < span.storage->begin || end > span.storage->end) return {};
  const std::uint32_t unit = element_bits(span.storage->natural) / 8;
  span.begin -= (begin - span.storage->begin) % unit;
  span.end += (unit - (end - span.storage->begin) % unit) % unit;
  return span.end <= span.storage->end ? span : Span{};
}

Value CodegenContext::load_span(const Span& span, Element as) {
  const unsigned unit = element_bits(span.storage->natural) / 8, bytes = span.end - span.begin;
  const Value natural = b_.load(span.storage->pointer, std::int64_t{span.begin} - span.storage->base,
                                {span.storage->natural, bytes / unit}, unit);
  return as == span.storage->natural ? natural : b_.cast(Cast::Bits, natural, {as, bytes * 8 / element_bits(as)});
}

void CodegenContext::store_span(const Span& span, Value value) {
  const unsigned unit = element_bits(span.storage->natural) / 8, bytes = span.end - span.begin;
  const VectorType natural{span.storage->natural, bytes / unit};
  if (b_.type(value) != natural) value = b_.cast(Cast::Bits, value, natural);
  b_.store(span.storage->pointer, std::int64_t{span.begin} - span.storage->base, value, unit);
}

std::pair<std::uint32_t, std::uint32_t> CodegenContext::extent(const Operand& operand) const {
  std::uint32_t low = operand.lane[0], high = operand.lane[0];
  for (unsigned k = 1; k < d_.lanes; ++k) {
    low = std::min<std::uint32_t>(low, operand.lane[k]);
    high = std::max<std::uint32_t>(high, operand.lane[k]);
  }
  return {operand.base + low, operand.base + high + operand.size};
}

Value CodegenContext::load_lanes(std::uint32_t begin, const Operand& operand) {
  const unsigned n = d_.lanes;
  const auto [low, high] = extent(operand);
  if (high - low > kWidestSpan) return {};
  const Element element = integer_of(operand.size);
  Span span = cover(low, high);
  if (span.storage == nullptr) return {};
  // A variable whose natural elements are wider is seen as elements of this operand's size.
  const unsigned unit = std::max(element_bits(span.storage->natural) / 8u, 1u);
  if ((span.end - span.begin) % operand.size != 0 ||
      (operand.base + operand.lane[0] - span.begin) % operand.size != 0) {
    if (unit >= operand.size) return {};
    // Elements that don't fall on multiples of their own size: byte positions decide, so the start must be the element.
    if ((high - low) % operand.size != 0) return {};
    span.begin = low;
    span.end = high;
  }
  if (function_.recorder != nullptr) {
    bool row = true;
    for (unsigned k = 1; k < n; ++k) row = row && operand.lane[k] == operand.lane[0] + k * operand.size;
    if (row)
      record_row(low, operand.size, n, false, false);
    else
      record(low, high);
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

std::optional<std::uint32_t> CodegenContext::address_root(std::uint32_t id, unsigned first, unsigned count) const {
  std::optional<std::uint32_t> root;
  for (unsigned i = first; i < first + count; ++i) {
    const std::size_t at = std::size_t{id} * Registers::kAddressElements + i;
    if (i >= Registers::kAddressElements || at >= known_.address_roots.size()) return std::nullopt;
    const std::uint32_t one = known_.address_roots[at].value_or(known_.address_hints[at]);
    if (one == kNoRoot || one == KnownValues::kSeveral || (root && *root != one)) return std::nullopt;
    root = one;
  }
  return root;
}

Value CodegenContext::indirect_guard(const Operand& operand) {
  const unsigned n = d_.lanes;
  const unsigned per = operand.width == 0 ? n : operand.width, count = (n + per - 1) / per;
  const auto root = address_root(operand.id, operand.element, count);
  if (!root) return {};
  bool certain = true;
  for (unsigned i = 0; i < count; ++i)
    certain =
        certain &&
        known_.address_roots[std::size_t{operand.id} * Registers::kAddressElements + operand.element + i].has_value();
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

Value CodegenContext::read_address_words(std::uint32_t id, unsigned element, unsigned count) {
  const std::size_t at = std::size_t{id} * Registers::kAddressElements + element;
  if (element + count > Registers::kAddressElements ||
      at + count > function_.object->object->addresses.size() * std::size_t{Registers::kAddressElements})
    return {};
  return b_.load(function_.addresses, static_cast<std::int64_t>(at * 8), {Element::I64, count}, 8);
}

void CodegenContext::write_address_words(std::uint32_t id, unsigned element, Value words) {
  const std::size_t at = std::size_t{id} * Registers::kAddressElements + element;
  b_.store(function_.addresses, static_cast<std::int64_t>(at * 8), words, 8);
}

/// Positions of all lanes, and which of them lie inside the variable that the addresses point into.
Value CodegenContext::indirect_positions(const Operand& operand, Value& inside) {
  const unsigned n = d_.lanes;
  const unsigned per = operand.width == 0 ? n : operand.width, count = (n + per - 1) / per;
  const auto root = address_root(operand.id, operand.element, count);
  const VariablePlacement* place = root ? function_.object->layout.place(*root) : nullptr;
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

Value CodegenContext::read_bits(const Operand& operand) {
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
      return positions ? b_.gather(function_.registers, positions, inside, element) : Value{};
    }
    case OperandKind::General:
    case OperandKind::Raw:
      if (operand.null) return b_.constant({element, n}, 0);
      return operand.in_bounds ? load_lanes(operand.base, operand) : Value{};
    default:
      return {};
  }
}

Value CodegenContext::read_integer(const Operand& operand, unsigned bytes) {
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

}  // namespace heddle::machine::jit
