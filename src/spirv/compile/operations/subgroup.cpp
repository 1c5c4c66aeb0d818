// SPDX-License-Identifier: MIT
// Subgroups.
// Rules: SPV-21.
#include "spirv/compile/operations/subgroup.hpp"

#include <bit>
#include <optional>
#include <spirv/unified1/spirv.hpp>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/arithmetic/scan.hpp"
#include "spirv/compile/arithmetic/subgroup.hpp"
#include "spirv/compile/operations/operations.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

bool is_ballot(ShaderContext& t, std::uint32_t id) {
  const Type scalar = scalar_of(t, id);
  if (t.values.size(id) == 4 && (scalar == Type::UD || scalar == Type::D)) return true;
  t.refuse("the operand is no ballot, a vector of four 32-bit integers");
  return false;
}

Part group_members(ShaderContext& t) {
  if (t.entry.stage != isa::ShaderStage::Fragment || t.entry.has_mode(kRequireFullQuads) ||
      t.entry.has_mode(kMaximallyReconverges))
    return boolean(true);
  const Part live = t.lanes.live().predicate;
  const Part alone = t.b.compare("eq", ballot(t.b, live), ud(0), "helpers_alone");
  return logical_or(t.b, live, alone);
}

namespace {

/// How many instructions the thread has run (%tsc): the same for all lanes, and again in the next run.
void read_clock(ShaderContext& t) {
  VisaWriter& b = t.b;
  const Part low = b.lanes(Type::UD, "clock"), high = b.copy(ud(0), "clock_high");
  for (const LaneRange& range : b.lane_ranges())
    b.instruction("mov", range, {b.destination(low, range), "%tsc(0,0)<0;1,0>"}, t.lanes.live());
  if (t.types.scalars(t.at->type).size() == 2)
    t.set({low, high});
  else
    t.set({join(b, Type::UQ, low, high, "clock")});
}

/// Lane `lane` of the value, known now.
Part lane_of(VisaWriter& b, const Part& value, unsigned lane, std::string_view hint) {
  if (value.constant()) return value;
  if (value.boolean())
    return b.compare("ne", lane_of(b, b.in_register(b.to_mask(value)), lane, hint), constant(Type::D, 0));
  const Part x = b.in_register(value), dst = b.lanes(value.type, hint);
  Part one = x;
  one.stride = 0;
  one.offset += lane * isa::type_bytes(x.type);
  b.move(dst, one);
  return dst;
}

void shuffles(ShaderContext& t) {
  VisaWriter& b = t.b;
  // Group operations name their scope first; those of SPV_KHR_shader_ballot do not.
  const unsigned value =
      t.at->opcode == spv::OpSubgroupReadInvocationKHR || t.at->opcode == spv::OpSubgroupFirstInvocationKHR ? 0 : 1;
  Part index = ud(0);
  std::optional<unsigned> fixed;
  const auto given = [&] { return index_of(b, t.values.part(t.operand(value + 1))); };
  const auto lane = [&] { return b.lane_numbers(); };
  switch (t.at->opcode) {
    case spv::OpGroupNonUniformBroadcast:
    case spv::OpSubgroupReadInvocationKHR:
      index = given();
      if (index.constant()) fixed = static_cast<unsigned>(index.bits) & (b.simd() - 1);
      break;
    case spv::OpGroupNonUniformBroadcastFirst:
    case spv::OpSubgroupFirstInvocationKHR:
      index = first_lane(b, group_members(t));
      break;
    case spv::OpGroupNonUniformShuffle:
      index = given();
      break;
    case spv::OpGroupNonUniformShuffleXor:
      index = b.make("xor", Type::UD, {lane(), given()}, "index");
      break;
    case spv::OpGroupNonUniformShuffleUp:
      index = b.make("add", Type::D, {lane().as(Type::D), negated(given().as(Type::D))}, "index").as(Type::UD);
      break;
    case spv::OpGroupNonUniformShuffleDown:
      index = b.make("add", Type::UD, {lane(), given()}, "index");
      break;
    case spv::OpGroupNonUniformRotateKHR: {
      const unsigned size = t.at->operands.size() > 3
                                ? static_cast<unsigned>(t.values.integer(t.operand(3)).value_or(b.simd()))
                                : b.simd();
      const unsigned cluster = std::has_single_bit(size) && size < b.simd() ? size : b.simd();
      const Part turned =
          b.make("and", Type::UD, {b.make("add", Type::UD, {lane(), given()}, "index"), ud(cluster - 1)}, "index");
      index =
          b.make("or", Type::UD, {turned, b.make("and", Type::UD, {lane(), ud(~(cluster - 1))}, "cluster")}, "index");
      break;
    }
    case spv::OpGroupNonUniformQuadBroadcast:
      index = b.make("or", Type::UD,
                     {b.make("and", Type::UD, {lane(), ud(~3u)}, "quad"),
                      b.make("and", Type::UD, {b.copy(given()), ud(3)}, "corner")},
                     "index");
      break;
    default: {  // OpGroupNonUniformQuadSwap: 0 across, 1 down, 2 both
      const std::uint64_t direction = t.values.integer(t.operand(value + 1)).value_or(0);
      index = b.make("xor", Type::UD, {lane(), ud(direction == 0 ? 1 : direction == 1 ? 2 : 3)}, "index");
      break;
    }
  }
  const std::string name = t.result_name();
  each_scalar(t, [&](unsigned i) {
    const Part x = t.values.part(t.operand(value), i);
    return fixed ? lane_of(b, x, *fixed, name) : shuffle(b, x, index, name);
  });
}

/// bits == 0 (or not), for all lanes.
Part uniform_test(VisaWriter& b, std::string_view condition, const Part& bits) {
  return b.compare(condition, bits, ud(0));
}

void votes(ShaderContext& t) {
  VisaWriter& b = t.b;
  const bool khr = t.at->opcode == spv::OpSubgroupAllKHR || t.at->opcode == spv::OpSubgroupAnyKHR ||
                   t.at->opcode == spv::OpSubgroupAllEqualKHR;
  const std::uint32_t id = t.operand(khr ? 0 : 1);
  const Part members = group_members(t);
  switch (t.at->opcode) {
    case spv::OpGroupNonUniformElect: {
      const Part first = first_lane(b, members);
      t.set({b.compare("eq", b.lane_numbers(), first, "elected")});
      return;
    }
    case spv::OpGroupNonUniformAll:
    case spv::OpSubgroupAllKHR:
      t.set({uniform_test(b, "eq", ballot(b, logical_and(b, members, logical_not(b, t.values.part(id)))))});
      return;
    case spv::OpGroupNonUniformAny:
    case spv::OpSubgroupAnyKHR:
      t.set({uniform_test(b, "ne", ballot(b, logical_and(b, members, t.values.part(id))))});
      return;
    default:
      break;
  }
  // All equal: to the first one's value.
  const Part first = first_lane(b, members);
  Part different = boolean(false);
  for (unsigned i = 0; i < t.values.size(id); ++i) {
    const Part x = t.values.part(id, i), other = shuffle(b, x, first, "first");
    if (x.constant()) continue;
    different = logical_or(b, different, x.boolean() ? logical_xor(b, x, other) : b.compare("ne", x, other));
  }
  t.set({uniform_test(b, "eq", ballot(b, logical_and(b, members, different)))});
}

/// Of the four lanes of each quad, helper invocations among them.
void quad_votes(ShaderContext& t) {
  const bool all = t.at->opcode == kGroupNonUniformQuadAll;
  const Combination combination =
      *combination_of(all ? spv::OpGroupNonUniformLogicalAnd : spv::OpGroupNonUniformLogicalOr, Type::Bool);
  t.set({scan(t.b, combination, t.values.part(t.operand(0)), ScanKind::Reduce, 4, boolean(true), t.result_name())});
}

/// The result stays with the lanes that are active now.
void set_bits(ShaderContext& t, const Part& bits) { t.set({t.b.copy(bits, t.result_name()), ud(0), ud(0), ud(0)}); }

void ballots(ShaderContext& t) {
  VisaWriter& b = t.b;
  switch (t.at->opcode) {
    case spv::OpSubgroupBallotKHR:
      return set_bits(t, ballot(b, logical_and(b, group_members(t), t.values.part(t.operand(0)))));
    case spv::OpGroupNonUniformBallot:
      return set_bits(t, ballot(b, logical_and(b, group_members(t), t.values.part(t.operand(1)))));
    default:
      break;
  }
  // The first component alone: no thread is wider than 32 lanes.
  const bool count_bits = t.at->opcode == spv::OpGroupNonUniformBallotBitCount;
  if (!is_ballot(t, t.operand(count_bits ? 2 : 1))) return;
  const Part bits = t.values.part(t.operand(count_bits ? 2 : 1)).as(Type::UD);
  const auto bit_at = [&](const Part& lane) {
    const Part down = b.make("shr", Type::UD, {bits, lane}, "bit");
    return b.compare("ne", b.make("and", Type::UD, {down, ud(1)}, "bit"), ud(0));
  };
  const std::uint32_t all = b.simd() == 32 ? 0xffffffffu : (1u << b.simd()) - 1;
  const auto inside = [&] { return b.make("and", Type::UD, {bits, ud(all)}, "bits"); };
  switch (t.at->opcode) {
    case spv::OpGroupNonUniformInverseBallot:
      t.set({bit_at(b.lane_numbers())});
      return;
    case spv::OpGroupNonUniformBallotBitExtract:
      t.set({bit_at(index_of(b, t.values.part(t.operand(2))))});
      return;
    case spv::OpGroupNonUniformBallotFindLSB:
      t.set({b.make("fbl", Type::UD, {inside()}, t.result_name()).as(result_scalar(t))});
      return;
    case spv::OpGroupNonUniformBallotFindMSB: {
      const Part zeros = b.make("lzd", Type::UD, {inside()}, "zeros");
      t.set({b.make("add", Type::D, {negated(zeros.as(Type::D)), constant(Type::D, 31)}, t.result_name())
                 .as(result_scalar(t))});
      return;
    }
    default:
      break;
  }
  Part counted = inside();
  if (t.operand(1) != spv::GroupOperationReduce)
    counted =
        b.make("and", Type::UD, {counted, lanes_below(b, t.operand(1) == spv::GroupOperationInclusiveScan)}, "bits");
  t.set({b.make("cbit", Type::UD, {counted}, t.result_name()).as(result_scalar(t))});
}

void reductions(ShaderContext& t) {
  if (translate_partitioned(t)) return;
  const std::optional<Combination> combination = combination_of(t.at->opcode, result_scalar(t));
  const std::uint32_t operation = t.operand(1);
  if (!combination || operation > spv::GroupOperationClusteredReduce) {
    t.refuse("this group operation is not supported");
    return;
  }
  if (!has_double(t, combination->type)) return;
  unsigned cluster = t.b.simd();
  if (operation == spv::GroupOperationClusteredReduce) {
    const std::uint64_t size = t.values.integer(t.operand(3)).value_or(0);
    if (size < cluster && std::has_single_bit(size)) cluster = static_cast<unsigned>(size);
  }
  const ScanKind kind = operation == spv::GroupOperationInclusiveScan   ? ScanKind::Inclusive
                        : operation == spv::GroupOperationExclusiveScan ? ScanKind::Exclusive
                                                                        : ScanKind::Reduce;
  const Part members = group_members(t);
  each_scalar(t, [&](unsigned i) {
    return scan(t.b, *combination, t.values.part(t.operand(2), i), kind, cluster, members, t.result_name());
  });
}

}  // namespace

std::span<const Op> subgroup_ops() {
  static constexpr Op kOps[] = {
      {spv::OpGroupNonUniformElect, votes},
      {spv::OpGroupNonUniformAll, votes},
      {spv::OpGroupNonUniformAny, votes},
      {spv::OpGroupNonUniformAllEqual, votes},
      {spv::OpSubgroupAllKHR, votes},
      {spv::OpSubgroupAnyKHR, votes},
      {spv::OpSubgroupAllEqualKHR, votes},
      {spv::OpGroupNonUniformBallot, ballots},
      {spv::OpSubgroupBallotKHR, ballots},
      {spv::OpGroupNonUniformInverseBallot, ballots},
      {spv::OpGroupNonUniformBallotBitExtract, ballots},
      {spv::OpGroupNonUniformBallotBitCount, ballots},
      {spv::OpGroupNonUniformBallotFindLSB, ballots},
      {spv::OpGroupNonUniformBallotFindMSB, ballots},
      {spv::OpGroupNonUniformBroadcast, shuffles},
      {spv::OpGroupNonUniformBroadcastFirst, shuffles},
      {spv::OpSubgroupReadInvocationKHR, shuffles},
      {spv::OpSubgroupFirstInvocationKHR, shuffles},
      {spv::OpGroupNonUniformShuffle, shuffles},
      {spv::OpGroupNonUniformShuffleXor, shuffles},
      {spv::OpGroupNonUniformShuffleUp, shuffles},
      {spv::OpGroupNonUniformShuffleDown, shuffles},
      {spv::OpGroupNonUniformRotateKHR, shuffles},
      {spv::OpReadClockKHR, read_clock},
      {spv::OpGroupNonUniformQuadBroadcast, shuffles},
      {spv::OpGroupNonUniformQuadSwap, shuffles},
      {kGroupNonUniformQuadAll, quad_votes},
      {kGroupNonUniformQuadAny, quad_votes},
      {spv::OpGroupNonUniformPartitionNV, translate_partition},
      {spv::OpGroupIAdd, reductions},
      {spv::OpGroupFAdd, reductions},
      {spv::OpGroupSMin, reductions},
      {spv::OpGroupUMin, reductions},
      {spv::OpGroupFMin, reductions},
      {spv::OpGroupSMax, reductions},
      {spv::OpGroupUMax, reductions},
      {spv::OpGroupFMax, reductions},
      {spv::OpGroupIAddNonUniformAMD, reductions},
      {spv::OpGroupFAddNonUniformAMD, reductions},
      {spv::OpGroupSMinNonUniformAMD, reductions},
      {spv::OpGroupUMinNonUniformAMD, reductions},
      {spv::OpGroupFMinNonUniformAMD, reductions},
      {spv::OpGroupSMaxNonUniformAMD, reductions},
      {spv::OpGroupUMaxNonUniformAMD, reductions},
      {spv::OpGroupFMaxNonUniformAMD, reductions},
      {spv::OpGroupNonUniformIAdd, reductions},
      {spv::OpGroupNonUniformFAdd, reductions},
      {spv::OpGroupNonUniformIMul, reductions},
      {spv::OpGroupNonUniformFMul, reductions},
      {spv::OpGroupNonUniformSMin, reductions},
      {spv::OpGroupNonUniformUMin, reductions},
      {spv::OpGroupNonUniformFMin, reductions},
      {spv::OpGroupNonUniformSMax, reductions},
      {spv::OpGroupNonUniformUMax, reductions},
      {spv::OpGroupNonUniformFMax, reductions},
      {spv::OpGroupNonUniformBitwiseAnd, reductions},
      {spv::OpGroupNonUniformBitwiseOr, reductions},
      {spv::OpGroupNonUniformBitwiseXor, reductions},
      {spv::OpGroupNonUniformLogicalAnd, reductions},
      {spv::OpGroupNonUniformLogicalOr, reductions},
      {spv::OpGroupNonUniformLogicalXor, reductions},
  };
  return kOps;
}

}  // namespace heddle::spirv::compiler
