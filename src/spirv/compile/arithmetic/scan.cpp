// SPDX-License-Identifier: MIT
// Rules: SPV-21.
#include "spirv/compile/arithmetic/scan.hpp"

#include <algorithm>
#include <limits>
#include <spirv/unified1/spirv.hpp>

#include "spirv/compile/arithmetic/scalar.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

std::optional<Combination> combination_of(std::uint16_t opcode, Type scalar) {
  const unsigned bits = scalar == Type::Bool ? 32 : isa::type_bytes(scalar) * 8;
  const Type s = signed_type(bits), u = unsigned_type(bits);
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (opcode) {
    case spv::OpGroupIAdd:
    case spv::OpGroupIAddNonUniformAMD:
    case spv::OpGroupNonUniformIAdd:
      return Combination{"add", s, constant(s, 0)};
    case spv::OpGroupFAdd:
    case spv::OpGroupFAddNonUniformAMD:
    case spv::OpGroupNonUniformFAdd:
      return Combination{"add", scalar, real_of(scalar, -0.0)};
    case spv::OpGroupNonUniformIMul:
      return Combination{"mul", s, constant(s, 1)};
    case spv::OpGroupNonUniformFMul:
      return Combination{"mul", scalar, real_of(scalar, 1)};
    case spv::OpGroupSMin:
    case spv::OpGroupSMinNonUniformAMD:
    case spv::OpGroupNonUniformSMin:
      return Combination{"min", s, constant(s, all >> 1)};
    case spv::OpGroupUMin:
    case spv::OpGroupUMinNonUniformAMD:
    case spv::OpGroupNonUniformUMin:
      return Combination{"min", u, constant(u, all)};
    case spv::OpGroupFMin:
    case spv::OpGroupFMinNonUniformAMD:
    case spv::OpGroupNonUniformFMin:
      return Combination{"min", scalar, real_of(scalar, kInfinity)};
    case spv::OpGroupSMax:
    case spv::OpGroupSMaxNonUniformAMD:
    case spv::OpGroupNonUniformSMax:
      return Combination{"max", s, constant(s, (all >> 1) + 1)};
    case spv::OpGroupUMax:
    case spv::OpGroupUMaxNonUniformAMD:
    case spv::OpGroupNonUniformUMax:
      return Combination{"max", u, constant(u, 0)};
    case spv::OpGroupFMax:
    case spv::OpGroupFMaxNonUniformAMD:
    case spv::OpGroupNonUniformFMax:
      return Combination{"max", scalar, real_of(scalar, -kInfinity)};
    case spv::OpGroupNonUniformBitwiseAnd:
      return Combination{"and", u, constant(u, all)};
    case spv::OpGroupNonUniformBitwiseOr:
      return Combination{"or", u, constant(u, 0)};
    case spv::OpGroupNonUniformBitwiseXor:
      return Combination{"xor", u, constant(u, 0)};
    case spv::OpGroupNonUniformLogicalAnd:
      return Combination{"and", Type::D, constant(Type::D, 0xffffffffu), true};
    case spv::OpGroupNonUniformLogicalOr:
      return Combination{"or", Type::D, constant(Type::D, 0), true};
    case spv::OpGroupNonUniformLogicalXor:
      return Combination{"xor", Type::D, constant(Type::D, 0), true};
    default:
      return std::nullopt;
  }
}

namespace {

/// Lane elements `first`, `first + stride`, ... of the variable that is scanned, or of another one.
struct Elements {
  unsigned first, stride;
  const Part* other = nullptr;
};

class Scan {
 public:
  Scan(VisaWriter& b, const Combination& c) : b_(b), c_(c), size_(isa::type_bytes(c.type)), grf_(b.grf()) {
    // One register lies before lane 0: its last element is lane 0's predecessor in an exclusive scan.
    lanes_ = b.array(c.type, "scan", grf_ / size_ + b.simd());
    lanes_.offset = grf_;
  }

  void fill(const Part& value, const Part& members) {
    write("mov", b_.simd(), {0, 1}, nullptr, nullptr);
    Part active = lanes_;
    active.stride = 1;
    const Guard guard = members.constant() ? Guard{} : Guard{b_.to_predicate(members), false, false};
    b_.move(active, c_.boolean ? b_.to_mask(value) : value.as(c_.type), guard);
  }

  /// Lane k of each group of `size` lanes becomes the combination of the group's lanes 0 to k.
  void combine(unsigned size) {
    const unsigned lanes = b_.simd();
    if (c_.op == "mul" && size_ == 8 && isa::is_integer(c_.type)) {
      multiply_lanes(size);
      return;
    }
    for (unsigned step = 1; step < size; step *= 2) {
      if (step <= 2) {  // all groups at once: lanes step and up of each, one after the other
        for (unsigned k = step; k < 2 * step; ++k) {
          const Elements mine{k, 2 * step}, before{step - 1, 2 * step};
          write(c_.op, lanes / (2 * step), mine, &mine, &before);
        }
        continue;
      }
      for (unsigned group = 0; group < lanes; group += 2 * step) {
        const Elements mine{group + step, 1}, before{group + step - 1, 0};
        write(c_.op, step, mine, &mine, &before);
      }
    }
  }

  Part result(ScanKind kind, unsigned cluster, std::string_view hint) {
    const Part dst = b_.lanes(c_.type, hint);
    if (kind == ScanKind::Inclusive) {
      Part all = lanes_;
      all.stride = 1;
      b_.move(dst, all);
      return dst;
    }
    if (kind == ScanKind::Exclusive) {
      b_.instruction("mov", kOneLane, {target({0, 1}, -1), b_.source(c_.identity, kOneLane)}, every_lane());
      const unsigned lanes = std::min(b_.simd(), grf_ / size_);  // what lies across two registers at most
      for (unsigned start = 0; start < b_.simd(); start += std::min(lanes, 16u)) {
        const LaneRange range{start, std::min(lanes, 16u)};
        b_.instruction("mov", range, {b_.destination(dst, range), region({start, 1}, -1)});
      }
      return dst;
    }
    // The last lane of each cluster; emulated 64-bit integers take no such region, their halves do.
    const bool halves = size_ == 8 && isa::is_integer(c_.type) && !isa::platform_info(b_.platform()).int64;
    const unsigned lanes = std::min({b_.simd(), 16u, 2 * grf_ / size_}), step = halves ? 2 : 1;
    for (unsigned start = 0; start < b_.simd(); start += lanes) {
      const LaneRange range{start, lanes};
      const RegionShape shape = cluster >= lanes ? RegionShape{0, 1, 0} : RegionShape{cluster * step, cluster, 0};
      const unsigned last = cluster >= lanes ? start / cluster * cluster + cluster - 1 : start + cluster - 1;
      for (unsigned k = 0; k < step; ++k) {
        const Part from = halves ? half(lanes_, k) : lanes_;
        b_.instruction("mov", range,
                       {b_.destination(halves ? half(dst, k) : dst, range), b_.region(from, last * step, shape)});
      }
    }
    return dst;
  }

 private:
  /// 64-bit products are several instructions: over all lanes at once, with 1 where a lane has nothing to take.
  void multiply_lanes(unsigned size) {
    const unsigned lanes = b_.simd();
    Part factors = b_.lanes(c_.type, "factors"), product = b_.lanes(c_.type, "products"), all = lanes_;
    all.stride = 1;
    for (unsigned step = 1; step < size; step *= 2) {
      write("mov", lanes, {0, 1, &factors}, nullptr, nullptr);
      for (unsigned group = 0; group < lanes; group += 2 * step) {
        const Elements before{group + step - 1, 0};
        write("mov", step, {group + step, 1, &factors}, &before, nullptr);
      }
      b_.for_all_lanes([&] {
        multiply(b_, product, all, factors);
        b_.move(all, product);
      });
    }
  }

  /// The elements as lanes, `shift` elements further on.
  [[nodiscard]] Part lanes_of(const Elements& e, int shift) const {
    Part p = e.other != nullptr ? *e.other : lanes_;
    p.stride = static_cast<std::uint8_t>(e.stride);
    p.offset += e.first * size_ + static_cast<unsigned>(shift * static_cast<int>(size_));
    return p;
  }
  [[nodiscard]] VisaOperand region(const Elements& e, int shift = 0) { return b_.source(lanes_of(e, shift), kOneLane); }
  [[nodiscard]] VisaOperand target(const Elements& e, int shift = 0) {
    return b_.destination(lanes_of(e, shift), kOneLane);
  }

  /// Over `count` elements, all lanes whether active or not, in ranges that lie in two registers.
  void write(std::string_view op, unsigned count, Elements dst, const Elements* a, const Elements* other) {
    const unsigned most = std::max(1u, std::min({count, 16u, 2 * grf_ / (size_ * std::max(dst.stride, 1u))}));
    for (unsigned k = 0; k < count; k += most) {
      const auto moved = [&](const Elements& e) { return Elements{e.first + k * e.stride, e.stride, e.other}; };
      const LaneRange range{0, most};
      if (a == nullptr) {
        b_.instruction(op, range, {target(moved(dst)), b_.source(c_.identity, kOneLane)}, every_lane());
        continue;
      }
      const VisaOperand to = target(moved(dst)), x = region(moved(*a));
      if (other == nullptr) {
        b_.instruction(op, range, {to, x}, every_lane());
        continue;
      }
      const VisaOperand y = region(moved(*other));
      if ((op == "min" || op == "max") && size_ == 8 &&
          !isa::is_float(c_.type)) {  // not among the emulated 64-bit instructions
        const Part chosen = b_.predicate("chosen");
        b_.instruction(op == "min" ? "cmp.lt" : "cmp.gt", range, {b_.name(chosen), x, y}, every_lane());
        b_.instruction("sel", range, {to, x, y}, {chosen, false, true});
        continue;
      }
      b_.instruction(op, range, {to, x, y}, every_lane());
    }
  }

  VisaWriter& b_;
  const Combination& c_;
  unsigned size_, grf_;
  Part lanes_;
};

}  // namespace

Part scan(VisaWriter& b, const Combination& c, const Part& value, ScanKind kind, unsigned cluster, const Part& members,
          std::string_view hint) {
  Scan lanes(b, c);
  lanes.fill(value, members);
  lanes.combine(kind == ScanKind::Reduce ? cluster : b.simd());
  const Part result = lanes.result(kind, cluster, hint);
  return c.boolean ? b.compare("ne", result.as(Type::D), constant(Type::D, 0)) : result;
}

}  // namespace heddle::spirv::compiler
