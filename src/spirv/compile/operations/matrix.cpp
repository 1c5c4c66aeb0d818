// SPDX-License-Identifier: MIT
// Vectors and matrices multiplied. A matrix is its columns one after the other.
// Rules: SPV-8.

#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

/// Sum of products, each product and sum rounded by itself, in the order of the components.
template <class A, class B>
Part sum_of_products(VisaWriter& b, const Part& dst, unsigned count, A x, B y) {
  Part sum = dst;
  for (unsigned k = 0; k < count; ++k) {
    const Part product = k == 0 ? sum : b.lanes(dst.type, "product");
    b.op("mul", product, {x(k), y(k)});
    if (k != 0) b.op("add", sum, {sum, product});
  }
  return sum;
}

}  // namespace

void translate_matrix(ShaderContext& t) {
  const Type type = result_scalar(t);
  if (!has_double(t, type)) return;
  const std::vector<Part> x = parts_of(t, t.operand(0));
  const std::vector<Part> y = t.at->opcode == spv::OpTranspose ? std::vector<Part>{} : parts_of(t, t.operand(1));
  const auto columns = [&](std::uint32_t id) { return t.types.of(t.module.type_of(id)).count; };
  switch (t.at->opcode) {
    case spv::OpDot:
      return each_scalar(t, [&](unsigned i) {
        return sum_of_products(
            t.b, t.result(type, i), static_cast<unsigned>(x.size()), [&](unsigned k) { return x[k]; },
            [&](unsigned k) { return y[k]; });
      });
    case spv::OpVectorTimesMatrix: {
      const unsigned rows = static_cast<unsigned>(x.size());
      return each_scalar(t, [&](unsigned i) {
        return sum_of_products(
            t.b, t.result(type, i), rows, [&](unsigned k) { return x[k]; },
            [&](unsigned k) { return y[i * rows + k]; });
      });
    }
    case spv::OpMatrixTimesVector: {
      const unsigned count = columns(t.operand(0)), rows = static_cast<unsigned>(x.size()) / count;
      return each_scalar(t, [&](unsigned i) {
        return sum_of_products(
            t.b, t.result(type, i), count, [&](unsigned k) { return x[k * rows + i]; },
            [&](unsigned k) { return y[k]; });
      });
    }
    case spv::OpMatrixTimesMatrix: {
      const unsigned count = columns(t.operand(0)), rows = static_cast<unsigned>(x.size()) / count;
      return each_scalar(t, [&](unsigned i) {
        const unsigned column = i / rows, row = i % rows;
        return sum_of_products(
            t.b, t.result(type, i), count, [&](unsigned k) { return x[k * rows + row]; },
            [&](unsigned k) { return y[column * count + k]; });
      });
    }
    case spv::OpOuterProduct:
      return each_scalar(t, [&](unsigned i) {
        const Part dst = t.result(type, i);
        t.b.op("mul", dst, {x[i % x.size()], y[i / x.size()]});
        return dst;
      });
    default: {  // OpTranspose
      const unsigned count = columns(t.operand(0)), rows = static_cast<unsigned>(x.size()) / count;
      return each_scalar(t, [&](unsigned i) { return x[(i % count) * rows + i / count]; });
    }
  }
}

namespace {

struct DotSigns {
  bool x, y, accumulate;
};

DotSigns dot_signs(std::uint16_t opcode) {
  switch (opcode) {
    case spv::OpSDot:
      return {true, true, false};
    case spv::OpUDot:
      return {false, false, false};
    case spv::OpSUDot:
      return {true, false, false};
    case spv::OpSDotAccSat:
      return {true, true, true};
    case spv::OpUDotAccSat:
      return {false, false, true};
    default:
      return {true, false, true};
  }
}

/// The components: of a vector, or the four bytes of a packed 32-bit integer.
std::vector<Part> components(ShaderContext& t, std::uint32_t id, bool is_signed, Type wide) {
  std::vector<Part> parts = parts_of(t, id), list;
  if (parts.size() == 1) {
    for (unsigned k = 0; k < 4; ++k) {
      const Part up = t.b.make("shl", Type::UD, {parts[0].as(Type::UD), ud(24 - 8 * k)}, "byte");
      const Type read = is_signed ? Type::D : Type::UD;
      list.push_back(t.b.make(is_signed ? "asr" : "shr", read, {up.as(read), constant(read, 24)}, "byte"));
    }
    return list;
  }
  for (const Part& p : parts) {
    const Part read = is_signed ? as_signed(p) : as_unsigned(p);
    list.push_back(bits_of(p) < isa::type_bytes(wide) * 8 ? t.b.convert(read, wide) : read.as(wide));
  }
  return list;
}

}  // namespace

void translate_integer_dot(ShaderContext& t) {
  const DotSigns signs = dot_signs(t.at->opcode);
  const Type type = result_scalar(t);
  const unsigned bits = isa::type_bytes(type) * 8;
  const bool is_signed = signs.x;
  // The sum is made in the result's width or 32 bits, whichever is wider: it wraps only where SPIR-V leaves the result
  // open.
  const Type wide = is_signed ? signed_type(std::max(bits, 32u)) : unsigned_type(std::max(bits, 32u));
  const std::vector<Part> x = components(t, t.operand(0), signs.x, wide),
                          y = components(t, t.operand(1), signs.y, wide);
  Part sum = t.b.lanes(wide, "sum");
  for (std::size_t k = 0; k < x.size() && k < y.size(); ++k) {
    const Part product = k == 0 ? sum : t.b.lanes(wide, "product");
    const Part left = x[k].as(wide), right = y[k].as(wide);
    multiply(t.b, product, left, right);
    if (k != 0) t.b.op("add", sum, {sum, product});
  }
  const Part dst = t.result(type);
  if (!signs.accumulate) {
    t.b.op("mov", dst, {sum});
  } else {
    const Part accumulator = t.values.part(t.operand(2));
    if (bits == 64) {
      t.refuse("a saturating sum of 64 bits");
      return;
    }
    t.b.op("add.sat", is_signed ? as_signed(dst) : as_unsigned(dst),
           {sum, is_signed ? as_signed(accumulator) : as_unsigned(accumulator)});
  }
  t.set({dst});
}

}  // namespace heddle::spirv::compiler
