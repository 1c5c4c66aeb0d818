// SPDX-License-Identifier: MIT
// Rules: SPV-4, SPV-40.
#include "spirv/compile/module/folding.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "base/half.hpp"

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

/// Integer arithmetic and shifts; nothing for other operations. Bits above the
/// result's width are the caller's to clear.
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

std::uint64_t narrowed_real(isa::Type to, double value, const Narrowing& narrowing) {
  std::uint64_t bits = bits_of_real(to, value);
  // The one before it where the nearest lies further from zero; so infinity
  // becomes the greatest number.
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
    case Spv::OpQuantizeToF16: {  // below the least normal half: zero with the
                                  // sign of a
      const double x = real_of(a);
      return bits_of_real(isa::Type::F, std::abs(x) < 0x1p-14 ? std::copysign(0.0, x)
                                                              : double{base::half_to_float(base::double_to_half(x))});
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

bool fold(std::uint32_t number, const Part& a, const Part& b, const Narrowing& narrowing, Part& r) {
  const auto op = static_cast<Spv>(number);
  std::optional<std::uint64_t> bits = fold_arithmetic(op, a, b);
  if (!bits) bits = fold_logic(op, a.bits, b.bits);
  if (!bits) bits = fold_comparison(op, a, b);
  if (!bits) bits = fold_conversion(op, a, r.type, narrowing);
  if (!bits) return false;
  r.bits = *bits & mask_of(width_of(r));
  return true;
}

}  // namespace heddle::spirv::compiler
