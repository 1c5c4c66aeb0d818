// SPDX-License-Identifier: MIT
// SPV_NV_shader_subgroup_partitioned: lanes that hold the same value, reductions and scans among them.
// Rules: SPV-21.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <spirv/unified1/spirv.hpp>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/arithmetic/scan.hpp"
#include "spirv/compile/arithmetic/subgroup.hpp"
#include "spirv/compile/operations/subgroup.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

/// A copy whose inactive lanes, and those that are no members, hold `otherwise`.
Part filled(VisaWriter& b, const Part& value, const Part& otherwise, const Part& members, std::string_view hint) {
  const Part all = b.lanes(value.type, hint);
  b.op("mov", all, {otherwise}, {{}, false, true});
  b.move(all, value, members.constant() ? Guard{} : Guard{b.to_predicate(members), false, false});
  return all;
}

/// Lane k of the value, the same for all lanes.
Part at_lane(const Part& all, unsigned k) {
  Part one = all;
  one.stride = 0;
  one.offset += k * isa::type_bytes(all.type);
  return one;
}

/// Whether lane k's bit is set in each lane's bits.
Part has_bit(VisaWriter& b, const Part& bits, unsigned k) {
  return b.compare("ne", b.make("and", Type::UD, {bits, ud(1u << k)}, "member"), ud(0), "is_member");
}

/// sum = sum op next, for the lanes of the predicate.
void combine(VisaWriter& b, const Combination& c, const Part& sum, const Part& next, const Part& lanes) {
  const Part other = b.copy(next, "other");
  const Guard guard{lanes, false, false};
  if (c.op == "min" || c.op == "max") {  // a predicate on vISA's own chooses between the operands
    const Part better = logical_and(b, lanes, b.compare(c.op == "min" ? "lt" : "gt", other, sum, "better"));
    b.move(sum, other, {better, false, false});
  } else if (c.op == "mul" && isa::type_bytes(c.type) == 8 && isa::is_integer(c.type)) {
    const Part product = b.lanes(c.type, "product");
    multiply(b, product, sum, other);
    b.move(sum, product, guard);
  } else {
    b.op(c.op, sum, {sum, other}, guard);
  }
}

}  // namespace

void translate_partition(ShaderContext& t) {
  VisaWriter& b = t.b;
  const Part active = ballot(b, group_members(t)), bits = t.b.lanes(Type::UD, t.result_name());
  std::vector<Part> values;
  for (unsigned i = 0; i < t.values.size(t.operand(0)); ++i) {
    const Part x = t.values.part(t.operand(0), i);
    const Part own = x.boolean() ? b.in_register(b.to_mask(x)) : b.copy(x);
    values.push_back(filled(b, own, constant(own.type, 0), boolean(true), "value"));
  }
  // SPV-21: a lane is in its own part of the partition, though no NaN equals itself.
  const bool floats = std::ranges::any_of(values, [](const Part& value) { return isa::is_float(value.type); });
  b.move(bits, floats ? b.make("xor", Type::UD, {lanes_below(b, true), lanes_below(b, false)}, "own_bit") : ud(0));
  for (unsigned k = 0; k < b.simd(); ++k) {
    Part same;
    for (const Part& value : values) {
      const Part equal = b.compare("eq", value, b.copy(at_lane(value, k)), "is_equal");
      same = same.kind == Part::Kind::Undefined ? equal : logical_and(b, same, equal);
    }
    b.op("or", bits, {bits, ud(1u << k)}, {same, false, false});
  }
  b.op("and", bits, {bits, active});
  t.set({bits, ud(0), ud(0), ud(0)});
}

bool translate_partitioned(ShaderContext& t) {
  const std::uint32_t operation = t.operand(1);
  if (operation < spv::GroupOperationPartitionedReduceNV || operation > spv::GroupOperationPartitionedExclusiveScanNV)
    return false;
  const std::optional<Combination> c = combination_of(t.at->opcode, result_scalar(t));
  if (!c) {
    t.refuse("this group operation is not supported");
    return true;
  }
  if (!has_double(t, c->type) || !is_ballot(t, t.operand(3))) return true;
  VisaWriter& b = t.b;
  Part members = b.copy(t.values.part(t.operand(3)).as(Type::UD), "members");
  if (operation != spv::GroupOperationPartitionedReduceNV)
    members = b.make("and", Type::UD,
                     {members, lanes_below(b, operation == spv::GroupOperationPartitionedInclusiveScanNV)}, "members");
  const Part group = group_members(t);
  each_scalar(t, [&](unsigned i) {
    const Part x = t.values.part(t.operand(2), i);
    const Part own = c->boolean ? b.in_register(b.to_mask(x)) : b.copy(x.as(c->type));
    const Part all = filled(b, own, c->identity, group, "all"), sum = b.copy(c->identity, t.result_name());
    for (unsigned k = 0; k < b.simd(); ++k) combine(b, *c, sum, at_lane(all, k), has_bit(b, members, k));
    return c->boolean ? b.compare("ne", sum, constant(Type::D, 0)) : sum;
  });
  return true;
}

}  // namespace heddle::spirv::compiler
