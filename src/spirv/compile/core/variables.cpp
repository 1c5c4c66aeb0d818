// Variables: registers, scratch, shared memory, descriptors.
// Rules: SPV-13.
#include "base/fixed_limits.hpp"
#include "spirv/compile/core/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "isa/quad_remark.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

/// Where a Workgroup variable lies. Blocks (WorkgroupMemoryExplicitLayoutKHR) all begin at the same place.
void ShaderTranslator::shared_variable(Pointer& p) {
  std::unordered_map<std::uint32_t, std::uint64_t> known;
  const auto is_block = [&](std::uint32_t id) {
    return is(type(id), Spv::OpTypeStruct) &&
           decoration(id, static_cast<std::uint32_t>(spv::Decoration::Block)).has_value();
  };
  const auto reserve = [&](std::uint64_t bytes) {
    const std::uint32_t start = (std::min(shared_bytes, 1u << 28) + 15) / 16 * 16;
    shared_bytes = start + static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 1u << 30));
    return start;
  };
  if (!is_block(p.pointee)) {
    p.offset = reserve(shared_extent(*this, p.pointee, {}, known));
    return;
  }
  if (!shared_blocks_) {
    std::uint64_t largest = 0;
    for (const Instruction& i : module.instructions) {
      if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
      if (static_cast<Spv>(i.opcode) != Spv::OpVariable ||
          static_cast<spv::StorageClass>(i.operands[0]) != spv::StorageClass::Workgroup)
        continue;
      if (const std::uint32_t pointee = type(i.type).element; is_block(pointee))
        largest = std::max(largest, shared_extent(*this, pointee, {}, known));
    }
    shared_blocks_ = reserve(largest);
  }
  p.offset = *shared_blocks_;
}

std::shared_ptr<std::vector<Part>> ShaderTranslator::new_storage(std::uint32_t id, std::string_view hint) {
  auto storage = std::make_shared<std::vector<Part>>();
  const std::vector<isa::Type> list = scalars(id);
  const TypeInfo info = type(id);
  static constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
  for (std::size_t k = 0; k < list.size(); ++k)
    storage->push_back(b.lanes(list[k], list.size() == 1 ? std::string(hint)
                                        : is(info, Spv::OpTypeVector) && k < 4
                                            ? fmt::format("{}_{}", hint, kComponents[k])
                                            : fmt::format("{}_{}", hint, k)));
  return storage;
}

void ShaderTranslator::variable(const Instruction& i) {
  const auto storage = static_cast<spv::StorageClass>(i.operands[0]);
  auto p = std::make_shared<Pointer>();
  p->pointee = type(i.type).element;
  p->storage_class = i.operands[0];
  p->root = i.result;
  const TypeInfo pointee = type(p->pointee);
  switch (storage) {
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
      shared_variable(*p);
      if (shared_bytes > (1u << 20))
        refuse(fmt::format("{} bytes of Workgroup memory are more than any device has", shared_bytes));
      break;
    case spv::StorageClass::Private:
    case spv::StorageClass::Function:
      if (pointee.flat > base::kValueScalars || (pointee.flat > 32 && dynamic_.count(i.result) != 0)) {
        p->kind = Pointer::Kind::Scratch;
        // Calls of one function follow each other: its variables keep their place.
        const auto [place, is_new] = scratch_places_.emplace(i.result, scratch_dwords);
        p->offset = place->second;
        if (is_new) {
          const std::uint64_t all = std::uint64_t{scratch_dwords} + natural_size(p->pointee, true);
          scratch_dwords = static_cast<std::uint32_t>(std::min<std::uint64_t>(all, 1u << 30));
          if (all > (1u << 16)) refuse(fmt::format("{} bytes of private memory a lane are too much", all * 4));
        }
      } else {
        p->storage = new_storage(p->pointee, name_of(i.result, "variable"));
      }
      break;
    case spv::StorageClass::Input:
    case spv::StorageClass::Output:
      p->storage = std::make_shared<std::vector<Part>>();  // the stage fills it
      break;
    default:
      refuse(fmt::format("storage class {} is not supported", storage_class_name(i.operands[0])));
      p->storage = new_storage(p->pointee, "variable");
  }
  Value v;
  v.type = i.type;
  v.pointer = p;
  set(i.result, v);
  if (i.operands.size() > 1 && (storage == spv::StorageClass::Private || storage == spv::StorageClass::Function)) {
    Value initial = value(i.operands[1]);
    initial.type = p->pointee;
    store(*p, initial);
  } else if (p->kind == Pointer::Kind::Registers && storage == spv::StorageClass::Function && killed_may_read(i)) {
    b.remark(isa::kStandInRemark);
    for (const Part& scalar : *p->storage) b.move(scalar, constant(scalar.type, 0));
    b.remark(isa::kStandInEndRemark);
  }
}

/// A killed lane that goes on for its quad's sake must not read what nothing wrote: variables of shaders that kill
/// start as 0, unless the block that declares them writes them.
bool ShaderTranslator::killed_may_read(const Instruction& variable) const {
  if (!kills) return false;
  for (auto k = static_cast<std::size_t>(&variable - module.instructions.data()) + 1; k < module.instructions.size();
       ++k) {
    const Instruction& i = module.instructions[k];
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

Part ShaderTranslator::scratch_base() {
  if (scratch_base_.kind != Part::Kind::Variable) {
    scratch_base_ = b.lanes(isa::Type::UD, "scratch_lane");
    const Part lane = b.lane_numbers();
    b.at_start([&] {
      const Part base = b.array(isa::Type::UD, "scratch_start", 1);
      b.instruction("and", kOneLane,
                    {b.destination(base, kOneLane), thread_payload(5), immediate(isa::Type::UD, 0xfffffc00)},
                    every_lane());
      b.op("shl", scratch_base_, {lane, ud(2)}, {{}, false, true});
      b.op("add", scratch_base_, {scratch_base_, base}, {{}, false, true});
    });
  }
  return scratch_base_;
}

}  // namespace heddle::spirv::compiler
