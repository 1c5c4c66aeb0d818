// SPDX-License-Identifier: MIT
// Conversions between number types, and bits read as another type.
// Rules: SPV-9, SPV-11, SPV-54.
#include <spirv/unified1/spirv.hpp>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

/// Integers of 64 bits.
bool is_wide(Type type) { return isa::is_integer(type) && isa::type_bytes(type) == 8; }

/// The nearest number, or where that is further from zero than x the one before it; so infinity becomes the greatest.
Part round_to_zero(VisaWriter& b, const Part& x, Type to, std::string_view hint) {
  const Part from = b.in_register(x), nearest = b.copy(convert_number(b, from, to, hint), hint);
  const Part beyond = b.compare("gt", magnitude(convert_number(b, nearest, from.type)), magnitude(from), "beyond");
  const Part bits = nearest.as(signed_type(bits_of(nearest)));
  b.op("add", bits, {bits, integer_like(bits, ~std::uint64_t{0})}, {beyond});
  return nearest;
}

void number(ShaderContext& t) {
  const Type from = scalar_of(t, t.operand(0)), to = result_scalar(t);
  if (!has_double(t, from) || !has_double(t, to)) return;
  const auto mode = t.annotations.decoration(t.at->result, spv::DecorationFPRoundingMode);
  const bool rounds = mode && !mode->empty() && mode->front() != spv::FPRoundingModeRTE;
  const bool narrows = isa::type_bytes(to) < isa::type_bytes(from);
  const bool to_zero = rounds && t.at->opcode == spv::OpFConvert && mode->front() == spv::FPRoundingModeRTZ;
  if (rounds && !to_zero) {
    t.refuse("a rounding mode other than to the nearest even number, or to zero of a floating-point conversion");
    return;
  }
  if ((from == Type::DF || to == Type::DF) && (is_wide(from) || is_wide(to)) &&
      !isa::platform_info(t.b.platform()).int64) {
    t.refuse("a conversion between 64-bit integers and 64-bit floating point on a platform without 64-bit integers");
    return;
  }
  each_scalar(t, [&](unsigned i) {
    const Part x = t.values.part(t.operand(0), i);
    const std::string name = t.result_name();
    switch (t.at->opcode) {
      case spv::OpConvertFToU:
        return convert_number(t.b, x, as_unsigned(constant(to, 0)).type, name).as(to);
      case spv::OpConvertFToS:
        return convert_number(t.b, x, as_signed(constant(to, 0)).type, name).as(to);
      case spv::OpConvertSToF:
      case spv::OpSConvert:
        return convert_number(t.b, as_signed(x), to, name).as(to);
      case spv::OpConvertUToF:
      case spv::OpUConvert:
        return convert_number(t.b, as_unsigned(x), to, name).as(to);
      default:  // OpFConvert
        return to_zero && narrows ? round_to_zero(t.b, x, to, name) : convert_number(t.b, x, to, name);
    }
  });
}

void quantize(ShaderContext& t) {
  each_scalar(t, [&](unsigned i) {
    const Part x = t.values.part(t.operand(0), i);
    const Part result = t.b.convert(t.b.convert(x, Type::HF, "half"), Type::F, "quantized");
    return without_small_halves(t.b, x, result, t.result_name());
  });
}

/// SPV-54: the same bytes as another type.
bool change_pointee(ShaderContext& t, std::uint32_t pointee) {
  const auto p = t.pointers.of(t.operand(0));
  if (p == nullptr ||
      (p->kind != Pointer::Kind::Buffer && p->kind != Pointer::Kind::Shared && p->kind != Pointer::Kind::Address))
    return false;
  Value v;
  v.type = t.at->type;
  v.pointer = std::make_shared<Pointer>(*p);
  v.pointer->pointee = pointee;
  v.pointer->matrix = {};
  v.pointer->row_major_vector = false;
  t.set_value(std::move(v));
  return true;
}

void bitcast(ShaderContext& t) {
  const TypeInfo &from = t.types.of(t.module.type_of(t.operand(0))), &into = t.types.of(t.at->type);
  if (from.op == spv::OpTypePointer && into.op == spv::OpTypePointer && change_pointee(t, into.element)) return;
  if ((from.op == spv::OpTypePointer && from.flat != 1) || (into.op == spv::OpTypePointer && into.flat != 1)) {
    t.refuse("a pointer as bits");
    return;
  }
  const Type to = result_scalar(t);
  t.set(recast(t.b, parts_of(t, t.operand(0)), to));
}

}  // namespace

std::span<const Op> conversion_ops() {
  static constexpr Op kOps[] = {
      {spv::OpConvertFToU, number}, {spv::OpConvertFToS, number},     {spv::OpConvertSToF, number},
      {spv::OpConvertUToF, number}, {spv::OpUConvert, number},        {spv::OpSConvert, number},
      {spv::OpFConvert, number},    {spv::OpQuantizeToF16, quantize}, {spv::OpBitcast, bitcast},
  };
  return kOps;
}

}  // namespace heddle::spirv::compiler
