// SPDX-License-Identifier: MIT
// Rules: SPV-13.
#include "spirv/compile/core/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "isa/quad_remark.hpp"
#include "spirv/compile/core/context.hpp"
#include "spirv/compile/module/type_tests.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

bool Variables::is_shared_block(std::uint32_t type) {
  return is(t_.types.of(type), Spv::OpTypeStruct) &&
         t_.annotations.decoration(type, static_cast<std::uint32_t>(spv::Decoration::Block)).has_value();
}

std::uint32_t Variables::reserve_shared(std::uint64_t bytes) {
  const std::uint32_t start = (std::min(shared_bytes_, 1u << 28) + 15) / 16 * 16;
  shared_bytes_ = start + static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 1u << 30));
  return start;
}

/// Blocks (WorkgroupMemoryExplicitLayoutKHR) all begin at the same place.
void Variables::place_shared(Pointer& p) {
  if (!is_shared_block(p.pointee)) {
    p.offset = reserve_shared(t_.layout.shared_extent(p.pointee));
    return;
  }
  if (!shared_blocks_) {
    std::uint64_t largest = 0;
    for (const Instruction& i : t_.module.instructions) {
      if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
      if (static_cast<Spv>(i.opcode) != Spv::OpVariable ||
          static_cast<spv::StorageClass>(i.operands[0]) != spv::StorageClass::Workgroup)
        continue;
      if (const std::uint32_t pointee = t_.types.of(i.type).element; is_shared_block(pointee))
        largest = std::max(largest, t_.layout.shared_extent(pointee));
    }
    shared_blocks_ = reserve_shared(largest);
  }
  p.offset = *shared_blocks_;
}

std::shared_ptr<std::vector<Part>> Variables::storage(std::uint32_t type, std::string_view hint) {
  auto storage = std::make_shared<std::vector<Part>>();
  const std::vector<isa::Type> list = t_.types.scalars(type);
  const TypeInfo info = t_.types.of(type);
  static constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
  for (std::size_t k = 0; k < list.size(); ++k)
    storage->push_back(t_.b.lanes(list[k], list.size() == 1 ? std::string(hint)
                                           : is(info, Spv::OpTypeVector) && k < 4
                                               ? fmt::format("{}_{}", hint, kComponents[k])
                                               : fmt::format("{}_{}", hint, k)));
  return storage;
}

std::uint32_t Variables::reserve_scratch(std::uint32_t type) {
  const std::uint32_t start = scratch_dwords_;
  const std::uint64_t all = std::uint64_t{start} + t_.layout.natural_size(type, true);
  scratch_dwords_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(all, 1u << 30));
  if (all > (1u << 16)) t_.refuse(fmt::format("{} bytes of private memory a lane are too much", all * 4));
  return start;
}

/// A variable that holds one constant for all of its life is that constant: it lies beside the program where it is
/// indexed at run time and not small.
bool Variables::place_constant(const Instruction& i, Pointer& p) {
  const std::uint32_t id = t_.functions.only_constant(i);
  if (id == 0 || t_.types.of(p.pointee).flat < Blocks::kMinScalars) return false;
  Value value = t_.values.of(id);
  value.type = p.pointee;
  if (value.parts.empty() || !std::ranges::all_of(value.parts, [](const Part& part) { return part.constant(); }))
    return false;
  if (t_.functions.dynamically_indexed(i.result)) {
    const auto place = t_.blocks.constant(value);
    if (!place) return false;
    p.kind = Pointer::Kind::Constants;
    p.offset = place->offset;
  } else {
    p.storage = std::make_shared<std::vector<Part>>(std::move(value.parts));
  }
  p.read_only = true;
  return true;
}

/// Private and Function: in registers, or in scratch where they are large, or indexed at run time and not small.
void Variables::place_private(const Instruction& i, Pointer& p) {
  if (place_constant(i, p)) return;
  const TypeInfo pointee = t_.types.of(p.pointee);
  const bool dynamic = pointee.flat > 32 && t_.functions.dynamically_indexed(i.result);
  if (pointee.flat <= base::kValueScalars && !dynamic) {
    p.storage = storage(p.pointee, t_.annotations.name_of(i.result, "variable"));
    return;
  }
  p.kind = Pointer::Kind::Scratch;
  // Calls of one function follow each other: its variables keep their place.
  const auto found = scratch_places_.find(i.result);
  p.offset = found != scratch_places_.end() ? found->second : reserve_scratch(p.pointee);
  scratch_places_[i.result] = p.offset;
}

void Variables::declare(const Instruction& i) {
  const auto storage_class = static_cast<spv::StorageClass>(i.operands[0]);
  auto p = std::make_shared<Pointer>();
  p->pointee = t_.types.of(i.type).element;
  p->storage_class = i.operands[0];
  p->root = i.result;
  const TypeInfo pointee = t_.types.of(p->pointee);
  switch (storage_class) {
    case spv::StorageClass::UniformConstant:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PushConstant:
      p->descriptor.variable = i.result;
      p->kind = is_opaque(pointee) || is(pointee, Spv::OpTypeArray) || is(pointee, Spv::OpTypeRuntimeArray)
                    ? Pointer::Kind::Descriptor
                    : Pointer::Kind::Buffer;
      break;
    case spv::StorageClass::Workgroup:
      p->kind = Pointer::Kind::Shared;
      place_shared(*p);
      if (shared_bytes_ > (1u << 20))
        t_.refuse(fmt::format("{} bytes of Workgroup memory are more than any device has", shared_bytes_));
      break;
    case spv::StorageClass::Private:
    case spv::StorageClass::Function:
      place_private(i, *p);
      break;
    case spv::StorageClass::TaskPayloadWorkgroupEXT:
      p->kind = Pointer::Kind::Record;  // the stage says where
      if (t_.entry.stage != isa::ShaderStage::Task && t_.entry.stage != isa::ShaderStage::Mesh)
        t_.refuse("only task and mesh shaders have a payload");
      break;
    case spv::StorageClass::Input:
    case spv::StorageClass::Output:
      p->storage = std::make_shared<std::vector<Part>>();  // the stage fills it
      break;
    default:
      t_.refuse(fmt::format("storage class {} is not supported", storage_class_name(i.operands[0])));
      p->storage = storage(p->pointee, "variable");
  }
  Value v;
  v.type = i.type;
  v.pointer = p;
  t_.values.set(i.result, v);
  if (storage_class == spv::StorageClass::Private || storage_class == spv::StorageClass::Function) initialize(i, *p);
}

/// The initializer of a private variable, or zeros where a killed lane might read what nothing wrote.
void Variables::initialize(const Instruction& i, const Pointer& p) {
  if (p.read_only) return;
  if (i.operands.size() > 1) {
    Value initial = t_.values.of(i.operands[1]);
    initial.type = p.pointee;
    t_.memory.store(p, initial);
    return;
  }
  const bool local = static_cast<spv::StorageClass>(i.operands[0]) == spv::StorageClass::Function;
  if (p.kind != Pointer::Kind::Registers || !local || !killed_may_read(i)) return;
  t_.b.remark(isa::kStandInRemark);
  for (const Part& scalar : *p.storage) t_.b.move(scalar, constant(scalar.type, 0));
  t_.b.remark(isa::kStandInEndRemark);
}

/// A killed lane that goes on for its quad's sake must not read what nothing wrote: variables of shaders that kill
/// start as 0, unless the block that declares them writes them.
bool Variables::killed_may_read(const Instruction& variable) const {
  if (!t_.lanes.may_be_killed()) return false;
  const std::vector<Instruction>& all = t_.module.instructions;
  for (auto k = static_cast<std::size_t>(&variable - all.data()) + 1; k < all.size(); ++k) {
    const Instruction& i = all[k];
    switch (static_cast<Spv>(i.opcode)) {
      case Spv::OpStore:
        if (i.operands[0] == variable.result) return false;
        break;
      case Spv::OpLabel:
      case Spv::OpFunctionEnd:
        return true;
      default:
        break;
    }
  }
  return true;
}

Part Variables::scratch_base() {
  if (scratch_base_.kind != Part::Kind::Variable) {
    VisaWriter& b = t_.b;
    scratch_base_ = b.lanes(isa::Type::UD, "scratch_lane");
    const Part lane = b.lane_numbers();
    b.at_start([&] {
      const Part base = b.array(isa::Type::UD, "scratch_start", 1);
      b.instruction("and", kOneLane,
                    {b.destination(base, kOneLane), thread_payload(5), immediate(isa::Type::UD, 0xfffffc00)},
                    every_lane());
      b.op("shl", scratch_base_, {lane, ud(2)}, every_lane());
      b.op("add", scratch_base_, {scratch_base_, base}, every_lane());
    });
  }
  return scratch_base_;
}

}  // namespace heddle::spirv::compiler
