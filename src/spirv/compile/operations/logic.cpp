// SPDX-License-Identifier: MIT
// Comparisons, booleans, selection.
// Rules: SPV-8.

#include <limits>
#include <spirv/unified1/spirv.hpp>
#include <string_view>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

struct Comparison {
  std::string_view condition;  ///< of vISA's cmp
  enum class Kind : std::uint8_t { Equal, Signed, Unsigned, Ordered, Inverse, Unlike } kind;
};

/// vISA's cmp is false when a source is NaN, `ne` alone is true (NUM: IEEE). An unordered comparison is therefore the
/// inverse of the opposite ordered one; OpFOrdNotEqual is "less or greater".
Comparison comparison_of(std::uint16_t opcode) {
  using enum Comparison::Kind;
  switch (opcode) {
    case spv::OpIEqual:
      return {"eq", Equal};
    case spv::OpINotEqual:
      return {"ne", Equal};
    case spv::OpUGreaterThan:
      return {"gt", Unsigned};
    case spv::OpSGreaterThan:
      return {"gt", Signed};
    case spv::OpUGreaterThanEqual:
      return {"ge", Unsigned};
    case spv::OpSGreaterThanEqual:
      return {"ge", Signed};
    case spv::OpULessThan:
      return {"lt", Unsigned};
    case spv::OpSLessThan:
      return {"lt", Signed};
    case spv::OpULessThanEqual:
      return {"le", Unsigned};
    case spv::OpSLessThanEqual:
      return {"le", Signed};
    case spv::OpFOrdEqual:
      return {"eq", Ordered};
    case spv::OpFUnordNotEqual:
      return {"ne", Ordered};
    case spv::OpFOrdLessThan:
      return {"lt", Ordered};
    case spv::OpFOrdGreaterThan:
      return {"gt", Ordered};
    case spv::OpFOrdLessThanEqual:
      return {"le", Ordered};
    case spv::OpFOrdGreaterThanEqual:
      return {"ge", Ordered};
    case spv::OpFUnordLessThan:
      return {"ge", Inverse};
    case spv::OpFUnordGreaterThan:
      return {"le", Inverse};
    case spv::OpFUnordLessThanEqual:
      return {"gt", Inverse};
    case spv::OpFUnordGreaterThanEqual:
      return {"lt", Inverse};
    case spv::OpFUnordEqual:
      return {"eq", Unlike};
    default:
      return {"ne", Unlike};  // OpFOrdNotEqual
  }
}

Part unlike(VisaWriter& b, const Part& x, const Part& y) {
  return logical_or(b, b.compare("lt", x, y), b.compare("gt", x, y));
}

Part compare(ShaderContext& t, unsigned i) {
  VisaWriter& b = t.b;
  const Part x = t.values.part(t.operand(0), i);
  const auto self = [&](std::string_view condition, const Part& p) {
    const Part kept = p.constant() ? b.copy(p) : p;
    return b.compare(condition, kept, kept);
  };
  if (t.at->opcode == spv::OpIsNan) return self("ne", x);
  if (t.at->opcode == spv::OpIsInf) {
    const Part infinity = real_of(x.type, std::numeric_limits<double>::infinity());
    return b.compare("eq", magnitude(x), x.type == Type::DF ? b.copy(infinity) : infinity);
  }
  const Part y = t.values.part(t.operand(1), i);
  if (t.at->opcode == spv::OpOrdered) return logical_and(b, self("eq", x), self("eq", y));
  if (t.at->opcode == spv::OpUnordered) return logical_or(b, self("ne", x), self("ne", y));
  const Comparison c = comparison_of(t.at->opcode);
  switch (c.kind) {
    case Comparison::Kind::Equal:
      return b.compare(c.condition, x, y.as(x.type));
    case Comparison::Kind::Signed:
      return b.compare(c.condition, as_signed(x), as_signed(y));
    case Comparison::Kind::Unsigned:
      return b.compare(c.condition, as_unsigned(x), as_unsigned(y));
    case Comparison::Kind::Ordered:
      return b.compare(c.condition, x, y);
    case Comparison::Kind::Inverse:
      return logical_not(b, b.compare(c.condition, x, y));
    case Comparison::Kind::Unlike:
      break;
  }
  const Part p = unlike(b, x, y);
  return t.at->opcode == spv::OpFUnordEqual ? logical_not(b, p) : p;
}

}  // namespace

void translate_comparison(ShaderContext& t) {
  if (!has_double(t, scalar_of(t, t.operand(0)))) return;
  each_scalar(t, [&](unsigned i) { return compare(t, i); });
}

void translate_logic(ShaderContext& t) {
  // A stored boolean is read here: the result must not change with the variable.
  const auto operand = [&](unsigned k, unsigned i) {
    const Part p = t.values.part(t.operand(k), i);
    return p.constant() ? p : t.b.to_predicate(p);
  };
  switch (t.at->opcode) {
    case spv::OpAny:
    case spv::OpAll: {
      std::vector<Part> list;
      for (unsigned i = 0; i < t.values.size(t.operand(0)); ++i) list.push_back(operand(0, i));
      Part all = list.front();
      for (std::size_t i = 1; i < list.size(); ++i)
        all = t.at->opcode == spv::OpAny ? logical_or(t.b, all, list[i]) : logical_and(t.b, all, list[i]);
      t.set({all});
      return;
    }
    case spv::OpLogicalNot:
      return each_scalar(t, [&](unsigned i) { return logical_not(t.b, operand(0, i)); });
    case spv::OpLogicalAnd:
      return each_scalar(t, [&](unsigned i) { return logical_and(t.b, operand(0, i), operand(1, i)); });
    case spv::OpLogicalOr:
      return each_scalar(t, [&](unsigned i) { return logical_or(t.b, operand(0, i), operand(1, i)); });
    case spv::OpLogicalNotEqual:
      return each_scalar(t, [&](unsigned i) { return logical_xor(t.b, operand(0, i), operand(1, i)); });
    default:
      return each_scalar(t,
                         [&](unsigned i) { return logical_not(t.b, logical_xor(t.b, operand(0, i), operand(1, i))); });
  }
}

void translate_select(ShaderContext& t) {
  if ((t.values.of(t.operand(1)).pointer != nullptr && t.types.of(t.at->type).flat == 0) ||
      t.values.of(t.operand(1)).handle != nullptr) {
    t.refuse("a choice between pointers, images or samplers");
    return;
  }
  // A scalar condition chooses a whole vector or composite.
  const bool single = t.values.size(t.operand(0)) == 1;
  each_scalar(t, [&](unsigned i) {
    Part condition = t.values.part(t.operand(0), single ? 0 : i);
    return t.b.select(condition, t.values.part(t.operand(1), i), t.values.part(t.operand(2), i), t.result_name());
  });
}

}  // namespace heddle::spirv::compiler
