// Types and constants.
// Rules: SPV-2, SPV-4.
#include <algorithm>
#include <bit>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "base/half.hpp"
#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

const TypeInfo& ShaderTranslator::type(std::uint32_t id) {
  if (const auto found = types_.find(id); found != types_.end()) return found->second;
  TypeInfo info;
  const Instruction* i = module.find(id);
  if (i == nullptr) return types_[id] = info;
  info.op = i->opcode;
  const auto flat_of = [&](std::uint32_t t) { return std::uint64_t{type(t).flat}; };
  std::uint64_t flat = 0;
  switch (static_cast<Spv>(i->opcode)) {
    case Spv::OpTypeBool:
      info.scalar = isa::Type::Bool;
      info.bits = 1;
      flat = 1;
      break;
    case Spv::OpTypeInt:
      info.bits = i->operands[0];
      info.is_signed = i->operands[1] != 0;
      switch (info.bits) {
        case 8:
          info.scalar = info.is_signed ? isa::Type::B : isa::Type::UB;
          break;
        case 16:
          info.scalar = info.is_signed ? isa::Type::W : isa::Type::UW;
          break;
        case 64:
          info.scalar = info.is_signed ? isa::Type::Q : isa::Type::UQ;
          break;
        default:
          info.scalar = info.is_signed ? isa::Type::D : isa::Type::UD;
      }
      flat = 1;
      break;
    case Spv::OpTypeFloat:
      info.bits = i->operands[0];
      info.scalar = info.bits == 16 ? isa::Type::HF : info.bits == 64 ? isa::Type::DF : isa::Type::F;
      flat = 1;
      break;
    case Spv::OpTypeVector:
    case Spv::OpTypeMatrix:
      info.element = i->operands[0];
      info.count = i->operands[1];
      flat = info.count * flat_of(info.element);
      info.scalar = type(info.element).scalar;
      info.bits = type(info.element).bits;
      break;
    case Spv::OpTypeArray:
      info.element = i->operands[0];
      info.count = static_cast<std::uint32_t>(constant_of(i->operands[1]).value_or(1));
      flat = info.count * flat_of(info.element);
      break;
    case Spv::OpTypeRuntimeArray:
      info.element = i->operands[0];
      break;
    case Spv::OpTypeStruct:
      info.members.assign(i->operands.begin(), i->operands.end());
      info.count = static_cast<std::uint32_t>(info.members.size());
      for (const std::uint32_t member : info.members) flat += flat_of(member);
      break;
    case Spv::OpTypePointer:
      info.element = i->operands[1];
      info.count = i->operands[0];  // storage class
      flat = pointer_scalars(info.count);
      info.scalar = flat == 1 ? isa::Type::UQ : isa::Type::UD;
      info.bits = flat == 1 ? 64 : 32;
      break;
    default:
      break;
  }
  if (info.op != static_cast<std::uint16_t>(Spv::OpTypePointer)) {
    if (info.element != 0) info.depth = type(info.element).depth + 1;
    for (const std::uint32_t member : info.members) info.depth = std::max(info.depth, type(member).depth + 1);
  }
  info.flat = static_cast<std::uint32_t>(std::min<std::uint64_t>(flat, base::kValueScalars + 1));
  return types_[id] = info;
}

ImageInfo ShaderTranslator::image_type(std::uint32_t id) {
  const Instruction* i = module.find(id);
  while (i != nullptr && static_cast<Spv>(i->opcode) != Spv::OpTypeImage) {
    switch (static_cast<Spv>(i->opcode)) {
      case Spv::OpTypeSampledImage:
      case Spv::OpTypeArray:
      case Spv::OpTypeRuntimeArray:
        i = module.find(i->operands[0]);
        break;
      case Spv::OpTypePointer:
        i = module.find(i->operands[1]);
        break;
      default:
        i = nullptr;
    }
  }
  ImageInfo info;
  if (i == nullptr || i->operands.size() < 7) return info;
  info.sampled_type = i->operands[0];
  info.dim = i->operands[1];
  info.depth = i->operands[2];
  info.arrayed = i->operands[3] != 0;
  info.multisampled = i->operands[4] != 0;
  info.sampled = i->operands[5];
  info.format = i->operands[6];
  info.texel = type(info.sampled_type).scalar;
  return info;
}

std::vector<isa::Type> ShaderTranslator::scalars(std::uint32_t id) {
  std::vector<isa::Type> list;
  const TypeInfo info = type(id);
  if (info.flat == 0 || info.flat > base::kValueScalars) return list;
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeBool:
    case Spv::OpTypeInt:
    case Spv::OpTypeFloat:
      list.push_back(info.scalar);
      break;
    case Spv::OpTypePointer:
      list.assign(info.flat, info.scalar);
      break;
    case Spv::OpTypeVector:
    case Spv::OpTypeMatrix:
    case Spv::OpTypeArray: {
      const std::vector<isa::Type> element = scalars(info.element);
      for (std::uint32_t k = 0; k < info.count && !element.empty(); ++k)
        list.insert(list.end(), element.begin(), element.end());
      break;
    }
    case Spv::OpTypeStruct:
      for (const std::uint32_t member : info.members) {
        const std::vector<isa::Type> element = scalars(member);
        list.insert(list.end(), element.begin(), element.end());
      }
      break;
    default:
      break;
  }
  return list;
}

bool ShaderTranslator::declared_constant(std::uint32_t id) const {
  const Instruction* i = module.find(id);
  return i != nullptr && static_cast<Spv>(i->opcode) >= Spv::OpConstantTrue &&
         static_cast<Spv>(i->opcode) <= Spv::OpSpecConstantOp;
}

std::optional<std::uint64_t> ShaderTranslator::constant_of(std::uint32_t id) {
  if (!values_.contains(id) && !declared_constant(id)) return std::nullopt;  // not yet computed
  const Value& v = value(id);
  if (v.parts.size() != 1 || !v.parts[0].constant()) return std::nullopt;
  return v.parts[0].bits;
}

Value ShaderTranslator::constant_value(const Instruction& i) {
  Value v;
  v.type = i.type;
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
      const TypeInfo& info = type(i.type);
      std::uint64_t bits = i.operands.empty() ? 0 : i.operands[0];
      if (info.bits == 64 && i.operands.size() > 1) bits |= std::uint64_t{i.operands[1]} << 32;
      if (info.bits < 32) bits &= (1u << info.bits) - 1;
      v.parts = {specialized(i, constant(info.scalar, bits))};
      break;
    }
    case Spv::OpConstantComposite:
    case Spv::OpSpecConstantComposite:
      if (type(i.type).flat > base::kValueScalars) break;  // whoever uses it is told
      for (const std::uint32_t id : i.operands) {
        const std::vector<Part> parts = value(id).parts;
        v.parts.insert(v.parts.end(), parts.begin(), parts.end());
      }
      break;
    case Spv::OpConstantNull:
      for (const isa::Type t : scalars(i.type)) v.parts.push_back(constant(t, 0));
      break;
    case Spv::OpSpecConstantOp:
      v = specialization_op(i);
      break;
    default:
      for (const isa::Type t : scalars(i.type)) v.parts.push_back(constant(t, 0));
      break;
  }
  return v;
}

/// The value of a specialization constant: what the options say, else its own.
Part ShaderTranslator::specialized(const Instruction& i, Part own) const {
  const auto id = decoration(i.result, static_cast<std::uint32_t>(spv::Decoration::SpecId));
  if (!id || id->empty()) return own;
  for (const Specialization& s : options.specialization) {
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

}  // namespace heddle::spirv::compiler
