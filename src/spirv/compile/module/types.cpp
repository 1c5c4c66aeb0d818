// SPDX-License-Identifier: MIT
#include "spirv/compile/module/types.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

#include "base/fixed_limits.hpp"
#include "spirv/compile/module/constants.hpp"
#include "spirv/compile/module/matrix_places.hpp"
#include "spirv/cooperative_matrix.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

Types::Types(const Module& module, Constants& constants, unsigned simd)
    : module_(module), constants_(constants), simd_(simd) {
  for (const Instruction& i : module.instructions) {
    if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
    if (static_cast<Spv>(i.opcode) != Spv::OpCapability || i.operands.empty()) continue;
    const auto capability = static_cast<spv::Capability>(i.operands[0]);
    shared_pointers_ = shared_pointers_ || capability == spv::Capability::VariablePointers;
    buffer_pointers_ =
        buffer_pointers_ || shared_pointers_ || capability == spv::Capability::VariablePointersStorageBuffer;
  }
}

namespace {

/// Whether a component type is one of a product's: of integers the width counts, their signs are the instruction's.
bool is_component(const TypeInfo& info, MatrixComponent c) {
  return info.bits == matrix_component_bits(c) && isa::is_float(info.scalar) == is_float(c);
}

/// Whether some product has such a matrix in the place of its use.
bool is_offered(const TypeInfo& info) {
  const MatrixShape& s = info.matrix;
  if (s.scope != static_cast<std::uint32_t>(spv::Scope::Subgroup)) return false;
  return std::ranges::any_of(matrix_products(), [&](const MatrixProduct& p) {
    switch (s.use) {
      case kMatrixA:
        return s.rows == p.m && s.columns == p.k && is_component(info, p.a);
      case kMatrixB:
        return s.rows == p.k && s.columns == p.n && is_component(info, p.b);
      case kMatrixAccumulator:
        return s.rows == p.m && s.columns == p.n && is_component(info, p.c);
      default:
        return false;
    }
  });
}

}  // namespace

std::uint32_t Types::pointer_scalars(std::uint32_t storage_class) const {
  switch (static_cast<spv::StorageClass>(storage_class)) {
    case spv::StorageClass::PhysicalStorageBuffer:
      return 1;
    case spv::StorageClass::StorageBuffer:
      return buffer_pointers_ ? 2 : 0;
    case spv::StorageClass::Workgroup:
      return shared_pointers_ ? 2 : 0;
    default:
      return 0;
  }
}

const TypeInfo& Types::of(std::uint32_t id) {
  if (const auto found = types_.find(id); found != types_.end()) return found->second;
  const Instruction* i = module_.find(id);
  TypeInfo info = i == nullptr ? TypeInfo{} : read(*i);
  return types_[id] = std::move(info);
}

/// A matrix that is not offered has no scalars (SPV-55).
TypeInfo Types::read_matrix(const Instruction& i) {
  TypeInfo info;
  info.op = i.opcode;
  if (i.operands.size() < 5) return info;
  const auto number = [&](std::size_t k) {
    return static_cast<std::uint32_t>(constants_.integer(i.operands[k]).value_or(0));
  };
  info.element = i.operands[0];
  info.scalar = of(info.element).scalar;
  info.bits = of(info.element).bits;
  info.depth = of(info.element).depth + 1;
  info.matrix = {number(1), number(2), number(3), number(4)};
  if (is_offered(info)) info.count = info.flat = MatrixPlaces(info.matrix, simd_).parts();
  return info;
}

TypeInfo Types::read(const Instruction& i) {
  if (i.opcode == kTypeCooperativeMatrix) return read_matrix(i);
  TypeInfo info;
  info.op = i.opcode;
  const auto flat_of = [&](std::uint32_t t) { return std::uint64_t{of(t).flat}; };
  std::uint64_t flat = 0;
  switch (static_cast<Spv>(i.opcode)) {
    case Spv::OpTypeBool:
      info.scalar = isa::Type::Bool;
      info.bits = 1;
      flat = 1;
      break;
    case Spv::OpTypeInt:
      info.bits = i.operands[0];
      info.is_signed = i.operands[1] != 0;
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
      info.bits = i.operands[0];
      info.scalar = info.bits == 16 ? isa::Type::HF : info.bits == 64 ? isa::Type::DF : isa::Type::F;
      flat = 1;
      break;
    case Spv::OpTypeVector:
    case Spv::OpTypeMatrix:
      info.element = i.operands[0];
      info.count = i.operands[1];
      flat = info.count * flat_of(info.element);
      info.scalar = of(info.element).scalar;
      info.bits = of(info.element).bits;
      break;
    case Spv::OpTypeArray:
      info.element = i.operands[0];
      info.count = static_cast<std::uint32_t>(constants_.integer(i.operands[1]).value_or(1));
      flat = info.count * flat_of(info.element);
      break;
    case Spv::OpTypeRuntimeArray:
      info.element = i.operands[0];
      break;
    case Spv::OpTypeStruct:
      info.members.assign(i.operands.begin(), i.operands.end());
      info.count = static_cast<std::uint32_t>(info.members.size());
      for (const std::uint32_t member : info.members) flat += flat_of(member);
      break;
    case Spv::OpTypePointer:
      info.element = i.operands[1];
      info.count = i.operands[0];  // storage class
      flat = pointer_scalars(info.count);
      info.scalar = flat == 1 ? isa::Type::UQ : isa::Type::UD;
      info.bits = flat == 1 ? 64 : 32;
      break;
    default:
      break;
  }
  if (info.op != static_cast<std::uint16_t>(Spv::OpTypePointer)) {
    if (info.element != 0) info.depth = of(info.element).depth + 1;
    for (const std::uint32_t member : info.members) info.depth = std::max(info.depth, of(member).depth + 1);
  }
  info.flat = static_cast<std::uint32_t>(std::min<std::uint64_t>(flat, base::kValueScalars + 1));
  return info;
}

ImageInfo Types::image(std::uint32_t id) {
  const Instruction* i = module_.find(id);
  while (i != nullptr && static_cast<Spv>(i->opcode) != Spv::OpTypeImage) {
    switch (static_cast<Spv>(i->opcode)) {
      case Spv::OpTypeSampledImage:
      case Spv::OpTypeArray:
      case Spv::OpTypeRuntimeArray:
        i = module_.find(i->operands[0]);
        break;
      case Spv::OpTypePointer:
        i = module_.find(i->operands[1]);
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
  info.texel = of(info.sampled_type).scalar;
  return info;
}

std::vector<isa::Type> Types::scalars(std::uint32_t id) {
  std::vector<isa::Type> list;
  const TypeInfo info = of(id);
  if (info.flat == 0 || info.flat > base::kValueScalars) return list;
  if (info.op == kTypeCooperativeMatrix) return std::vector<isa::Type>(info.flat, info.scalar);
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

}  // namespace heddle::spirv::compiler
