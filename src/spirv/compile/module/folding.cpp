// OpSpecConstantOp: its value, once the specialization constants have theirs.
// Rules: SPV-4, SPV-40.
#include <bit>
#include <cmath>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "base/half.hpp"
#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

unsigned width_of(const Part& p) { return p.type == isa::Type::Bool ? 1 : isa::type_bytes(p.type) * 8; }

std::uint64_t mask_of(unsigned width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

std::int64_t sign_extended(const Part& p) {
  const unsigned width = width_of(p);
  if (width >= 64) return static_cast<std::int64_t>(p.bits);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>(((p.bits & mask_of(width)) ^ sign) - sign);
}

double real_of(const Part& p) {
  switch (p.type) {
    case isa::Type::F:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(p.bits)));
    case isa::Type::DF:
      return std::bit_cast<double>(p.bits);
    case isa::Type::HF:
      return static_cast<double>(base::half_to_float(static_cast<std::uint16_t>(p.bits)));
    default:
      return 0;
  }
}

std::uint64_t bits_of_real(isa::Type type, double value) {
  switch (type) {
    case isa::Type::DF:
      return std::bit_cast<std::uint64_t>(value);
    case isa::Type::HF:
      return base::double_to_half(value);
    default:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

/// Integer arithmetic and shifts; nothing for other operations. Bits above the result's width are the caller's to
/// clear.
std::optional<std::uint64_t> fold_arithmetic(Spv op, const Part& a, const Part& b) {
  const std::uint64_t x = a.bits, y = b.bits;
  const std::int64_t sx = sign_extended(a), sy = sign_extended(b);
  const bool too_far = y >= width_of(a);
  switch (op) {
    case Spv::OpIAdd:
      return x + y;
    case Spv::OpISub:
      return x - y;
    case Spv::OpIMul:
      return x * y;
    case Spv::OpUDiv:
      return y == 0 ? 0 : x / y;
    case Spv::OpUMod:
      return y == 0 ? 0 : x % y;
    case Spv::OpSDiv:
      return sy == 0 ? 0 : sy == -1 ? 0 - x : static_cast<std::uint64_t>(sx / sy);
    case Spv::OpSRem:
      return sy == 0 || sy == -1 ? 0 : static_cast<std::uint64_t>(sx % sy);
    case Spv::OpSMod: {
      const std::int64_t rest = sy == 0 || sy == -1 ? 0 : sx % sy;
      return static_cast<std::uint64_t>(rest != 0 && (rest < 0) != (sy < 0) ? rest + sy : rest);
    }
    case Spv::OpSNegate:
      return 0 - x;
    case Spv::OpShiftLeftLogical:
      return too_far ? 0 : x << y;
    case Spv::OpShiftRightLogical:
      return too_far ? 0 : x >> y;
    case Spv::OpShiftRightArithmetic:
      return static_cast<std::uint64_t>(sx >> (too_far ? width_of(a) - 1 : y));
    default:
      return std::nullopt;
  }
}

/// Operations on bits and Booleans; nothing for others.
std::optional<std::uint64_t> fold_logic(Spv op, std::uint64_t x, std::uint64_t y) {
  switch (op) {
    case Spv::OpNot:
      return ~x;
    case Spv::OpLogicalNot:
      return x == 0;
    case Spv::OpBitwiseAnd:
    case Spv::OpLogicalAnd:
      return x & y;
    case Spv::OpBitwiseOr:
    case Spv::OpLogicalOr:
      return x | y;
    case Spv::OpBitwiseXor:
    case Spv::OpLogicalNotEqual:
      return x ^ y;
    case Spv::OpLogicalEqual:
      return x == y;
    default:
      return std::nullopt;
  }
}

/// Comparisons of integers; nothing for other operations.
std::optional<std::uint64_t> fold_comparison(Spv op, const Part& a, const Part& b) {
  const std::uint64_t x = a.bits, y = b.bits;
  const std::int64_t sx = sign_extended(a), sy = sign_extended(b);
  switch (op) {
    case Spv::OpIEqual:
      return x == y;
    case Spv::OpINotEqual:
      return x != y;
    case Spv::OpUGreaterThan:
      return x > y;
    case Spv::OpUGreaterThanEqual:
      return x >= y;
    case Spv::OpULessThan:
      return x < y;
    case Spv::OpULessThanEqual:
      return x <= y;
    case Spv::OpSGreaterThan:
      return sx > sy;
    case Spv::OpSGreaterThanEqual:
      return sx >= sy;
    case Spv::OpSLessThan:
      return sx < sy;
    case Spv::OpSLessThanEqual:
      return sx <= sy;
    default:
      return std::nullopt;
  }
}

/// How OpFConvert rounds, and whether a subnormal result becomes zero (SPV-40).
struct Narrowing {
  bool to_zero = false, flush = false;
};

std::uint64_t narrowed_real(isa::Type to, double value, const Narrowing& narrowing) {
  std::uint64_t bits = bits_of_real(to, value);
  // The one before it where the nearest lies further from zero; so infinity becomes the greatest number.
  if (narrowing.to_zero && std::abs(real_of(constant(to, bits))) > std::abs(value)) --bits;
  const double least = to == isa::Type::HF ? 0x1p-14 : to == isa::Type::F ? 0x1p-126 : 0x1p-1022;
  if (narrowing.flush && std::abs(real_of(constant(to, bits))) < least)
    bits = bits_of_real(to, std::copysign(0.0, value));
  return bits;
}

/// Conversions to `to`; nothing for other operations.
std::optional<std::uint64_t> fold_conversion(Spv op, const Part& a, isa::Type to, const Narrowing& narrowing) {
  switch (op) {
    case Spv::OpUConvert:
      return a.bits & mask_of(width_of(a));
    case Spv::OpSConvert:
      return static_cast<std::uint64_t>(sign_extended(a));
    case Spv::OpFConvert:
      return narrowed_real(to, real_of(a), narrowing);
    case Spv::OpQuantizeToF16: {  // below the least normal half: zero with the sign of a
      const double x = real_of(a);
      return bits_of_real(isa::Type::F, std::abs(x) < 0x1p-14 ? std::copysign(0.0, x)
                                                              : double{base::half_to_float(base::double_to_half(x))});
    }
    default:
      return std::nullopt;
  }
}

/// One scalar; false: not an operation that constants may have in a shader.
bool fold(Spv op, const Part& a, const Part& b, const Narrowing& narrowing, Part& r) {
  std::optional<std::uint64_t> bits = fold_arithmetic(op, a, b);
  if (!bits) bits = fold_logic(op, a.bits, b.bits);
  if (!bits) bits = fold_comparison(op, a, b);
  if (!bits) bits = fold_conversion(op, a, r.type, narrowing);
  if (!bits) return false;
  r.bits = *bits & mask_of(width_of(r));
  return true;
}

}  // namespace

Value ShaderTranslator::specialization_op(const Instruction& i) {
  Value v;
  v.type = i.type;
  const auto op = static_cast<Spv>(i.operands[0]);
  const std::span<const std::uint32_t> ids = i.operands.subspan(1);
  const std::vector<isa::Type> types = scalars(i.type);
  const auto parts_of = [&](std::size_t k) { return k < ids.size() ? value(ids[k]).parts : std::vector<Part>{}; };
  const Instruction* const before = at;
  switch (op) {
    case Spv::OpSelect: {
      const std::vector<Part> c = parts_of(0), yes = parts_of(1), no = parts_of(2);
      for (std::size_t k = 0; k < types.size() && k < yes.size() && k < no.size() && (c.size() == 1 || k < c.size());
           ++k)
        v.parts.push_back(!c.empty() && c[c.size() == 1 ? 0 : k].bits != 0 ? yes[k] : no[k]);
      break;
    }
    case Spv::OpCompositeExtract:
    case Spv::OpCompositeInsert: {
      const bool insert = op == Spv::OpCompositeInsert;
      const std::vector<Part> whole = parts_of(insert ? 1 : 0);
      std::uint32_t t = value(ids[insert ? 1 : 0]).type, first = 0;
      for (std::size_t k = insert ? 2 : 1; k < ids.size(); ++k) {
        const TypeInfo info = type(t);
        if (!info.members.empty()) {
          for (std::uint32_t m = 0; m < ids[k] && m < info.members.size(); ++m) first += type(info.members[m]).flat;
          t = ids[k] < info.members.size() ? info.members[ids[k]] : 0;
        } else {
          first += ids[k] * type(info.element).flat;
          t = info.element;
        }
      }
      if (insert) {
        v.parts = whole;
        const std::vector<Part> object = parts_of(0);
        for (std::size_t k = 0; k < object.size() && first + k < v.parts.size(); ++k) v.parts[first + k] = object[k];
      } else {
        for (std::size_t k = 0; k < types.size() && first + k < whole.size(); ++k) v.parts.push_back(whole[first + k]);
      }
      break;
    }
    case Spv::OpVectorShuffle: {
      std::vector<Part> both = parts_of(0);
      const std::vector<Part> second = parts_of(1);
      both.insert(both.end(), second.begin(), second.end());
      for (std::size_t k = 2; k < ids.size(); ++k)
        v.parts.push_back(ids[k] < both.size() ? both[ids[k]] : constant(types.empty() ? isa::Type::UD : types[0], 0));
      break;
    }
    default: {
      const std::vector<Part> left = parts_of(0), right = parts_of(1);
      const auto mode = decoration(i.result, static_cast<std::uint32_t>(spv::Decoration::FPRoundingMode));
      for (std::size_t k = 0; k < types.size(); ++k) {
        Part r = constant(types[k], 0);
        const bool to_zero = mode && !mode->empty()
                                 ? mode->front() == static_cast<std::uint32_t>(spv::FPRoundingMode::RTZ)
                                 : float_modes.rounds_to_zero(types[k]);
        const Narrowing narrowing{to_zero, float_modes.flushes(types[k])};
        if (k >= left.size() || !fold(op, left[k], k < right.size() ? right[k] : Part{}, narrowing, r)) {
          at = &i;
          refuse("this operation on specialization constants is not supported");
          break;
        }
        v.parts.push_back(r);
      }
    }
  }
  at = before;
  while (v.parts.size() < types.size()) v.parts.push_back(constant(types[v.parts.size()], 0));
  return v;
}

}  // namespace heddle::spirv::compiler
