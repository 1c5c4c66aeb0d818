// SPDX-License-Identifier: MIT
// Inactive lanes are known by the execution mask: a comparison writes the predicate bits of active lanes only.
// Rules: SPV-21.
#include "spirv/compile/arithmetic/subgroup.hpp"

#include <algorithm>

#include "spirv/compile/arithmetic/scalar.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

Part ballot(VisaWriter& b, const Part& condition) {
  const Part lanes = b.predicate("ballot"), bits = b.array(Type::UD, "ballot", 1);
  const Part mask = condition.constant() || condition.kind == Part::Kind::Predicate
                        ? b.in_register(b.to_mask(condition), "vote")
                        : b.to_mask(condition);
  b.clear_predicate(lanes);
  b.op("cmp.ne", lanes, {mask.as(Type::D), constant(Type::D, 0)});
  b.instruction("mov", kOneLane, {b.destination(bits, kOneLane), b.name(lanes)}, every_lane());
  return bits;
}

Part lanes_below(VisaWriter& b, bool inclusive) {
  const Part ones = b.copy(ud(inclusive ? 0xfffffffeu : 0xffffffffu), "ones");
  const Part above = b.make("shl", Type::UD, {ones, b.lane_numbers()}, "above");
  return b.make("not", Type::UD, {above}, "below");
}

namespace {

/// value's lane `index` (ud, lane by lane or the same for all; taken modulo the width), 32 bits at a time through the
/// address register.
Part gather_dwords(VisaWriter& b, const Part& value, const Part& index, std::string_view hint) {
  const bool uniform = index.kind == Part::Kind::Variable && index.stride == 0;
  Part x = value.as(Type::UD);
  if (uniform) {
    x = b.in_register(x);
  } else {
    // Lanes that are not active may be asked for: what they give is undefined, here 0.
    const Part all = b.lanes(Type::UD, "lanes");
    b.op("mov", all, {ud(0)}, {{}, false, true});
    b.move(all, x);
    x = all;
  }
  const Part bytes = uniform ? b.array(Type::UD, "bytes", 1) : b.lanes(Type::UD, "bytes");
  b.op("and", bytes, {index, ud(b.simd() - 1)});
  b.op("shl", bytes, {bytes, ud(2)});
  const Part dst = b.lanes(Type::UD, hint);
  const Part words = half(bytes, 0);
  const VisaOperand from = b.address_of(x);
  if (uniform) {
    const std::string address = b.address("lane_address", 1);
    b.instruction("addr_add", kOneLane,
                  {VisaWriter::address_elements(address, 1), from, b.source(words, kOneLane, true)}, every_lane());
    for (const LaneRange& range : b.lane_ranges())
      b.instruction("mov", range, {b.destination(dst, range), VisaWriter::indirect(address, Type::UD, false)});
    return dst;
  }
  const unsigned lanes = std::min(b.simd(), 16u);
  for (const LaneRange& range : b.lane_ranges()) {
    const std::string address = b.address("lane_address", lanes);
    b.instruction("addr_add", range, {VisaWriter::address_elements(address, lanes), from, b.source(words, range)},
                  every_lane());
    b.instruction("mov", range, {b.destination(dst, range), VisaWriter::indirect(address, Type::UD, true)});
  }
  return dst;
}

}  // namespace

Part shuffle(VisaWriter& b, const Part& value, const Part& index, std::string_view hint) {
  if (value.constant()) return value;
  if (value.boolean()) {
    const Part mask = gather_dwords(b, b.in_register(b.to_mask(value)), index, hint);
    return b.compare("ne", mask, ud(0));
  }
  const Part lane = index.constant() ? b.copy(index, "index") : index;
  switch (bits_of(value)) {
    case 64:
      return join(b, value.type, gather_dwords(b, low_half(value), lane, hint),
                  gather_dwords(b, high_half(value), lane, hint), hint);
    case 32:
      return gather_dwords(b, value, lane, hint).as(value.type);
    default:
      return b
          .convert(gather_dwords(b, b.convert(as_unsigned(value), Type::UD), lane, hint), as_unsigned(value).type, hint)
          .as(value.type);
  }
}

Part index_of(VisaWriter& b, const Part& p) {
  return bits_of(p) == 64 ? low_half(p) : bits_of(p) == 32 ? p.as(Type::UD) : b.convert(as_unsigned(p), Type::UD);
}

Part active_lanes(VisaWriter& b) { return ballot(b, boolean(true)); }

Part first_lane(VisaWriter& b, const Part& condition) {
  const Part bits = ballot(b, condition), first = b.array(Type::UD, "first", 1);
  b.op("fbl", first, {bits});
  return first;
}

Part first_active(VisaWriter& b) { return first_lane(b, boolean(true)); }

Part first_value(VisaWriter& b, const Part& value) {
  const Part x = b.in_register(value), bytes = b.array(Type::UD, "bytes", 1);
  b.op("shl", bytes, {first_active(b), ud(2)});
  const VisaOperand from = b.address_of(x);
  const std::string address = b.address("lane_address", 1);
  b.instruction("addr_add", kOneLane,
                {VisaWriter::address_elements(address, 1), from, b.source(half(bytes, 0), kOneLane, true)},
                every_lane());
  const Part first = b.array(Type::UD, "first_value", 1);
  b.instruction("mov", kOneLane, {b.destination(first, kOneLane), VisaWriter::indirect(address, Type::UD, false)},
                every_lane());
  return first;
}

}  // namespace heddle::spirv::compiler
