// SPDX-License-Identifier: MIT
// Rules: SPV-2, SPV-4, SPV-40.
#include "spirv/compile/module/constants.hpp"

#include <bit>
#include <spirv/unified1/spirv.hpp11>
#include <utility>
#include <vector>

#include "base/fixed_limits.hpp"
#include "base/half.hpp"
#include "spirv/compile/module/folding.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

bool is_constant(const Module& module, std::uint32_t id) {
  const Instruction* i = module.find(id);
  if (i == nullptr) return false;
  const auto op = static_cast<Spv>(i->opcode);
  return (op >= Spv::OpConstantTrue && op <= Spv::OpSpecConstantOp) || i->opcode == kConstantReplicate ||
         i->opcode == kSpecConstantReplicate;
}

const Value* Constants::find(std::uint32_t id) {
  if (const auto found = values_.find(id); found != values_.end()) return &found->second;
  if (!is_constant(module_, id)) return nullptr;
  Value v = evaluate(*module_.find(id));
  return &(values_[id] = std::move(v));
}

std::optional<std::uint64_t> Constants::integer(std::uint32_t id) {
  const Value* v = find(id);
  if (v == nullptr || v->parts.size() != 1 || !v->parts[0].constant()) return std::nullopt;
  return v->parts[0].bits;
}

Value Constants::stand_in(std::uint32_t id) {
  Value v;
  const Instruction* i = module_.find(id);
  if (i == nullptr) return v;
  v.type = i->type;
  if (static_cast<Spv>(i->opcode) == Spv::OpUndef)
    for (const isa::Type t : types_.scalars(i->type)) v.parts.push_back(Part{}.as(t));
  else
    zeros(i->type, v);
  return v;
}

/// What a composite is made of: another constant, or OpUndef.
Value Constants::constituent(std::uint32_t id) {
  const Value* v = find(id);
  return v != nullptr ? *v : stand_in(id);
}

std::vector<Part> Constants::parts_of(std::span<const std::uint32_t> ids, std::size_t k) {
  return k < ids.size() ? constituent(ids[k]).parts : std::vector<Part>{};
}

void Constants::zeros(std::uint32_t type, Value& v) {
  for (const isa::Type t : types_.scalars(type)) v.parts.push_back(constant(t, 0));
  v.zeros = types_.of(type).flat > base::kValueScalars;
}

Value Constants::evaluate(const Instruction& i) {
  Value v;
  v.type = i.type;
  if (is_replicate(i.opcode)) {  // an array has as many parts as its length says after specialization
    const std::uint32_t flat = types_.of(i.type).flat;
    if (flat > base::kValueScalars || i.operands.empty()) return v;  // whoever uses it is told
    const std::vector<Part> part = constituent(i.operands[0]).parts;
    while (!part.empty() && v.parts.size() < flat) v.parts.insert(v.parts.end(), part.begin(), part.end());
    return v;
  }
  const auto op = static_cast<Spv>(i.opcode);
  switch (op) {
    case Spv::OpConstantTrue:
    case Spv::OpSpecConstantTrue:
      v.parts = {specialized(i, boolean(true))};
      break;
    case Spv::OpConstantFalse:
    case Spv::OpSpecConstantFalse:
      v.parts = {specialized(i, boolean(false))};
      break;
    case Spv::OpConstant:
    case Spv::OpSpecConstant: {
      const TypeInfo& info = types_.of(i.type);
      std::uint64_t bits = i.operands.empty() ? 0 : i.operands[0];
      if (info.bits == 64 && i.operands.size() > 1) bits |= std::uint64_t{i.operands[1]} << 32;
      if (info.bits < 32) bits &= (1u << info.bits) - 1;
      v.parts = {specialized(i, constant(info.scalar, bits))};
      break;
    }
    case Spv::OpConstantComposite:
    case Spv::OpSpecConstantComposite:
      if (types_.of(i.type).flat > base::kValueScalars) break;                         // whoever uses it is told
      if (types_.of(i.type).op == kTypeCooperativeMatrix && i.operands.size() == 1) {  // one value for every element
        const std::vector<Part> part = constituent(i.operands[0]).parts;
        if (part.size() == 1) v.parts.assign(types_.of(i.type).flat, part[0]);
        break;
      }
      for (const std::uint32_t id : i.operands) {
        const std::vector<Part> parts = constituent(id).parts;
        v.parts.insert(v.parts.end(), parts.begin(), parts.end());
      }
      break;
    case Spv::OpConstantNull:
      zeros(i.type, v);
      break;
    case Spv::OpSpecConstantOp:
      v = operation(i);
      break;
    default:
      zeros(i.type, v);
      break;
  }
  return v;
}

/// The value of a specialization constant: what the options say, else its own.
Part Constants::specialized(const Instruction& i, Part own) const {
  const auto id = annotations_.decoration(i.result, static_cast<std::uint32_t>(spv::Decoration::SpecId));
  if (!id || id->empty()) return own;
  for (const Specialization& s : specialization_) {
    if (s.id != (*id)[0] || (s.constant != 0 && s.constant != i.result)) continue;
    const double real = std::holds_alternative<double>(s.value) ? std::get<double>(s.value)
                        : std::holds_alternative<std::int64_t>(s.value)
                            ? static_cast<double>(std::get<std::int64_t>(s.value))
                            : static_cast<double>(std::get<bool>(s.value));
    std::int64_t integer = 0;
    if (std::holds_alternative<std::int64_t>(s.value))
      integer = std::get<std::int64_t>(s.value);
    else if (std::holds_alternative<bool>(s.value))
      integer = std::get<bool>(s.value) ? 1 : 0;
    else if (real > -9e18 && real < 9e18)
      integer = static_cast<std::int64_t>(real);
    switch (own.type) {
      case isa::Type::Bool:
        own.bits = real != 0 ? 1 : 0;
        break;
      case isa::Type::F:
        own.bits = std::bit_cast<std::uint32_t>(static_cast<float>(real));
        break;
      case isa::Type::DF:
        own.bits = std::bit_cast<std::uint64_t>(real);
        break;
      case isa::Type::HF:
        own.bits = base::double_to_half(real);
        break;
      default: {
        const unsigned width = isa::type_bytes(own.type) * 8;
        own.bits = static_cast<std::uint64_t>(integer);
        if (width < 64) own.bits &= (std::uint64_t{1} << width) - 1;
      }
    }
  }
  return own;
}

/// OpSpecConstantOp.
Value Constants::operation(const Instruction& i) {
  Value v;
  v.type = i.type;
  const std::span<const std::uint32_t> ids = i.operands.subspan(1);
  const std::vector<isa::Type> types = types_.scalars(i.type);
  if (i.operands[0] == kCooperativeMatrixLength && !ids.empty() && types.size() == 1) {
    v.parts = {constant(types[0], types_.of(ids[0]).count)};
    return v;
  }
  switch (static_cast<Spv>(i.operands[0])) {
    case Spv::OpSelect:
      select(ids, types.size(), v);
      break;
    case Spv::OpCompositeExtract:
    case Spv::OpCompositeInsert:
      member(i, ids, types.size(), v);
      break;
    case Spv::OpVectorShuffle:
      shuffle(ids, types, v);
      break;
    default:
      scalar_operation(i, ids, types, v);
  }
  while (v.parts.size() < types.size()) v.parts.push_back(constant(types[v.parts.size()], 0));
  return v;
}

void Constants::select(std::span<const std::uint32_t> ids, std::size_t count, Value& v) {
  const std::vector<Part> c = parts_of(ids, 0), yes = parts_of(ids, 1), no = parts_of(ids, 2);
  for (std::size_t k = 0; k < count && k < yes.size() && k < no.size() && (c.size() == 1 || k < c.size()); ++k)
    v.parts.push_back(!c.empty() && c[c.size() == 1 ? 0 : k].bits != 0 ? yes[k] : no[k]);
}

/// OpCompositeExtract and OpCompositeInsert.
void Constants::member(const Instruction& i, std::span<const std::uint32_t> ids, std::size_t count, Value& v) {
  const bool insert = static_cast<Spv>(i.operands[0]) == Spv::OpCompositeInsert;
  const std::vector<Part> whole = parts_of(ids, insert ? 1 : 0);
  std::uint32_t t = constituent(ids[insert ? 1 : 0]).type, first = 0;
  for (std::size_t k = insert ? 2 : 1; k < ids.size(); ++k) {
    const TypeInfo info = types_.of(t);
    if (!info.members.empty()) {
      for (std::uint32_t m = 0; m < ids[k] && m < info.members.size(); ++m) first += types_.of(info.members[m]).flat;
      t = ids[k] < info.members.size() ? info.members[ids[k]] : 0;
    } else {
      first += ids[k] * types_.of(info.element).flat;
      t = info.element;
    }
  }
  if (insert) {
    v.parts = whole;
    const std::vector<Part> object = parts_of(ids, 0);
    for (std::size_t k = 0; k < object.size() && first + k < v.parts.size(); ++k) v.parts[first + k] = object[k];
  } else {
    for (std::size_t k = 0; k < count && first + k < whole.size(); ++k) v.parts.push_back(whole[first + k]);
  }
}

void Constants::shuffle(std::span<const std::uint32_t> ids, std::span<const isa::Type> types, Value& v) {
  std::vector<Part> both = parts_of(ids, 0);
  const std::vector<Part> second = parts_of(ids, 1);
  both.insert(both.end(), second.begin(), second.end());
  for (std::size_t k = 2; k < ids.size(); ++k)
    v.parts.push_back(ids[k] < both.size() ? both[ids[k]] : constant(types.empty() ? isa::Type::UD : types[0], 0));
}

void Constants::scalar_operation(const Instruction& i, std::span<const std::uint32_t> ids,
                                 std::span<const isa::Type> types, Value& v) {
  const std::vector<Part> left = parts_of(ids, 0), right = parts_of(ids, 1);
  const auto mode = annotations_.decoration(i.result, static_cast<std::uint32_t>(spv::Decoration::FPRoundingMode));
  for (std::size_t k = 0; k < types.size(); ++k) {
    Part r = constant(types[k], 0);
    const bool to_zero = mode && !mode->empty() ? mode->front() == static_cast<std::uint32_t>(spv::FPRoundingMode::RTZ)
                                                : modes_.rounds_to_zero(types[k]);
    const Narrowing narrowing{to_zero, modes_.flushes(types[k])};
    if (k >= left.size() || !fold(i.operands[0], left[k], k < right.size() ? right[k] : Part{}, narrowing, r)) {
      report_.refuse(i, "this operation on specialization constants is not supported");
      break;
    }
    v.parts.push_back(r);
  }
}

}  // namespace heddle::spirv::compiler
