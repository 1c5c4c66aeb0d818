// SPDX-License-Identifier: MIT
// Shifts, logic and fields of integers of 8 to 64 bits.
// Rules: SPV-12.

#include <optional>
#include <spirv/unified1/spirv.hpp>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

/// A count or offset as ud: any integer width.
Part count_of(VisaWriter& b, const Part& p) {
  switch (bits_of(p)) {
    case 64:
      return low_half(p);
    case 32:
      return p.as(Type::UD);
    default:
      return p.constant() ? ud(static_cast<std::uint32_t>(p.bits)) : b.convert(as_unsigned(p), Type::UD, "count");
  }
}

/// all ones >> (width - count), 0 for count 0: `count` low bits.
Part low_mask(VisaWriter& b, const Part& count, unsigned width) {
  const Type type = unsigned_type(width);
  if (count.constant()) {
    const unsigned n = static_cast<unsigned>(count.bits);
    return constant(type, n == 0 ? 0 : ~std::uint64_t{0} >> (64 - n));
  }
  const Part room = b.make("add", Type::D, {negated(count.as(Type::D)), constant(Type::D, width)}, "room");
  const Part ones = b.make("shr", type, {constant(type, ~std::uint64_t{0} >> (64 - width)), room.as(Type::UD)}, "ones");
  return b.select(b.compare("eq", count, ud(0), "empty"), constant(type, 0), ones, "mask");
}

/// Base, insert in 32 or 64 bits.
Part insert_bits(VisaWriter& b, const Part& base, const Part& insert, const Part& offset, const Part& count) {
  const unsigned width = bits_of(base);
  const Type type = base.type;
  if (count.constant() && count.bits == 0) return b.copy(base);
  if (count.constant() && offset.constant() && count.bits >= width && offset.bits == 0) return b.copy(insert);
  if (width == 32 && count.constant() && offset.constant())
    return b.make("bfi", type, {count, offset, b.copy(insert), b.copy(base)}, "inserted");
  const Part mask = b.make("shl", type, {low_mask(b, count, width), offset}, "mask");
  const Part shifted = b.make("shl", type, {insert, offset}, "field");
  const Part field = b.make("and", type, {shifted, mask}, "field");
  const Part rest = b.make("and", type, {base, inverted(mask)}, "rest");
  return b.make("or", type, {rest, field}, "inserted");
}

/// The field moved to the top, then down again; `base` is d, ud, q or uq, its sign decides how the field is extended.
Part extract_bits(VisaWriter& b, const Part& base, const Part& offset, const Part& count) {
  const unsigned width = bits_of(base);
  const Type type = base.type;
  const bool is_signed = isa::is_signed(type);
  if (count.constant() && count.bits == 0) return constant(type, 0);
  if (width == 32 && count.constant() && offset.constant() && count.bits < 32)
    return b.make("bfe", type, {count, offset, b.copy(base)}, "field");
  // Counts are taken modulo the width: for an empty field both shifts are meaningless, and zero is chosen.
  const Part down = count.constant()
                        ? constant(Type::D, width - count.bits)
                        : b.make("add", Type::D, {negated(count.as(Type::D)), constant(Type::D, width)}, "down");
  const Part up = b.make("add", Type::D, {down, negated(offset.as(Type::D))}, "up");
  const Part top = b.make("shl", type, {base, up.as(Type::UD)}, "top");
  const Part field = b.make(is_signed ? "asr" : "shr", type, {top, is_signed ? down : down.as(Type::UD)}, "field");
  if (count.constant()) return field;
  return b.select(b.compare("eq", count, ud(0), "empty"), constant(type, 0), field, "field");
}

Part reverse_bits(VisaWriter& b, const Part& p) {
  const unsigned width = bits_of(p);
  if (width == 64)
    return join(b, p.type, b.make("bfrev", Type::UD, {high_half(p)}), b.make("bfrev", Type::UD, {low_half(p)}),
                "reversed");
  if (width == 32) return b.make("bfrev", Type::UD, {p.as(Type::UD)}, "reversed").as(p.type);
  const Part reversed = b.make("bfrev", Type::UD, {b.convert(as_unsigned(p), Type::UD)}, "reversed");
  return b.convert(b.make("shr", Type::UD, {reversed, ud(32 - width)}, "reversed"), p.type, "reversed");
}

Part count_bits(VisaWriter& b, const Part& p) {
  if (bits_of(p) != 64) return b.make("cbit", Type::UD, {as_unsigned(p)}, "count");
  const Part low = b.make("cbit", Type::UD, {low_half(p)}, "count"),
             high = b.make("cbit", Type::UD, {high_half(p)}, "count");
  return b.make("add", Type::UD, {low, high}, "count");
}

/// In 32 bits at least: what the field instructions and helpers take.
Part widened(VisaWriter& b, const Part& p, bool is_signed) {
  const unsigned width = bits_of(p);
  const Part read = is_signed ? as_signed(p) : as_unsigned(p);
  return width < 32 ? b.convert(read, is_signed ? Type::D : Type::UD) : read;
}

Part back(VisaWriter& b, const Part& p, Type type) {
  return isa::type_bytes(type) == isa::type_bytes(p.type) ? p.as(type) : b.convert(p, type);
}

Part logic(ShaderContext& t, std::string_view op, unsigned i, Type type) {
  const Part dst = t.result(type, i);
  const Part x = t.values.part(t.operand(0), i).as(type);
  if (t.at->opcode == spv::OpNot)
    t.b.op(op, dst, {x});
  else
    t.b.op(op, dst, {x, t.values.part(t.operand(1), i).as(type)});
  return dst;
}

}  // namespace

void translate_bits(ShaderContext& t) {
  const Type type = result_scalar(t);
  VisaWriter& b = t.b;
  each_scalar(t, [&](unsigned i) -> Part {
    const Part base = t.values.part(t.operand(0), i);
    switch (t.at->opcode) {
      case spv::OpNot:
        return logic(t, "not", i, type);
      case spv::OpBitwiseAnd:
        return logic(t, "and", i, type);
      case spv::OpBitwiseOr:
        return logic(t, "or", i, type);
      case spv::OpBitwiseXor:
        return logic(t, "xor", i, type);
      case spv::OpBitReverse:
        return reverse_bits(b, base).as(type);
      case spv::OpBitCount:
        return back(b, count_bits(b, base), type);
      case spv::OpBitFieldInsert: {
        const Part insert = widened(b, t.values.part(t.operand(1), i), false);
        const Part offset = count_of(b, t.values.part(t.operand(2))), count = count_of(b, t.values.part(t.operand(3)));
        return back(b, insert_bits(b, widened(b, base, false), insert, offset, count), type);
      }
      default: {
        const bool is_signed = t.at->opcode == spv::OpBitFieldSExtract;
        const Part offset = count_of(b, t.values.part(t.operand(1))), count = count_of(b, t.values.part(t.operand(2)));
        return back(b, extract_bits(b, widened(b, base, is_signed), offset, count), type);
      }
    }
  });
}

void translate_shift(ShaderContext& t) {
  const Type type = result_scalar(t);
  each_scalar(t, [&](unsigned i) {
    const Part base = t.values.part(t.operand(0), i), count = count_of(t.b, t.values.part(t.operand(1), i));
    const Part dst = t.result(type, i);
    switch (t.at->opcode) {
      case spv::OpShiftLeftLogical:
        t.b.op("shl", dst, {base.as(type), count});
        break;
      case spv::OpShiftRightLogical:
        t.b.op("shr", as_unsigned(dst), {as_unsigned(base), count});
        break;
      default:
        t.b.op("asr", as_signed(dst), {as_signed(base), count.as(Type::D)});
        break;
    }
    return dst;
  });
}

}  // namespace heddle::spirv::compiler
