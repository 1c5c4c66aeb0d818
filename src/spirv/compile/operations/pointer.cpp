// SPDX-License-Identifier: MIT
// Pointers as numbers, comparisons and differences of pointers.
// Rules: SPV-14, SPV-35.
#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/module/type_tests.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

void convert_pointer(ShaderContext& t) {
  const TypeInfo from = t.types.of(t.module.type_of(t.operand(0))), into = t.types.of(t.at->type);
  if ((is(from, Spv::OpTypePointer) ? from : into).flat != 1) return t.refuse("only pointers of 64 bits are numbers");
  const Part number = t.values.part(t.operand(0));
  t.set({bits_of(number) == into.bits ? number.as(into.scalar)
                                      : convert_number(t.b, as_unsigned(number), into.scalar, t.result_name())});
}

void compare_pointers(ShaderContext& t) {
  const std::vector<Part> x = parts_of(t, t.operand(0)), y = parts_of(t, t.operand(1));
  if (x.empty() || x.size() != y.size()) return t.refuse("these pointers cannot be compared");
  Part equal;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Part same = t.b.compare("eq", t.b.in_register(x[k]), y[k]);
    equal = k == 0 ? same : logical_and(t.b, equal, same);
  }
  t.set({static_cast<Spv>(t.at->opcode) == Spv::OpPtrNotEqual ? logical_not(t.b, equal) : equal});
}

void subtract_pointers(ShaderContext& t) {
  const std::vector<Part> x = parts_of(t, t.operand(0)), y = parts_of(t, t.operand(1));
  const std::uint32_t type = t.module.type_of(t.operand(0));
  if (x.empty() || x.size() != y.size()) return t.refuse("these pointers cannot be subtracted");
  const std::uint32_t size = t.layout.pointer_stride(type);
  const Part a = as_signed(t.b.in_register(x.back())), c = as_signed(t.b.in_register(y.back()));
  const Part bytes = t.b.make("add", a.type, {a, negated(c)}, "bytes"), elements = t.b.lanes(a.type, "elements");
  divide(t.b, &elements, nullptr, bytes, integer_like(bytes, std::max(1u, size)));
  const isa::Type result = t.types.of(t.at->type).scalar;
  t.set({isa::type_bytes(result) == isa::type_bytes(a.type) ? elements.as(result)
                                                            : convert_number(t.b, elements, result)});
}

constexpr Op kOps[] = {
    {static_cast<std::uint16_t>(Spv::OpConvertPtrToU), convert_pointer},
    {static_cast<std::uint16_t>(Spv::OpConvertUToPtr), convert_pointer},
    {static_cast<std::uint16_t>(Spv::OpPtrEqual), compare_pointers},
    {static_cast<std::uint16_t>(Spv::OpPtrNotEqual), compare_pointers},
    {static_cast<std::uint16_t>(Spv::OpPtrDiff), subtract_pointers},
};

}  // namespace

std::span<const Op> pointer_ops() { return kOps; }

}  // namespace heddle::spirv::compiler
