// SPDX-License-Identifier: MIT
// The instructions of memory: OpVariable to OpArrayLength.
#include "spirv/compile/module/type_tests.hpp"
#include "spirv/compile/operations/operations.hpp"
#include "spirv/newer_opcodes.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

void make_variable(ShaderContext& t) { t.variables.declare(*t.at); }

std::shared_ptr<Pointer> pointer(ShaderContext& t, std::uint32_t id) { return t.pointers.of(id); }

/// Result may be (part of) an operand, unchanged.
bool may_forward(Spv op) {
  const auto n = static_cast<unsigned>(op);
  if (n >= 126 && n <= 205 && op != Spv::OpSelect) return false;  // arithmetic, logic, comparison, bits
  switch (op) {
    case Spv::OpStore:
    case Spv::OpReturnValue:
    case Spv::OpBranchConditional:
    case Spv::OpSwitch:
    case Spv::OpImageWrite:
    case Spv::OpDPdx:
    case Spv::OpDPdy:
    case Spv::OpFwidth:
      return false;
    default:
      return true;
  }
}

/// Memory that only this invocation knows, and only by the name of the variable.
bool is_own(std::uint32_t storage_class) {
  const auto storage = static_cast<spv::StorageClass>(storage_class);
  return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
         storage == spv::StorageClass::Input || storage == spv::StorageClass::Output;
}

/// Whether an instruction other than a store may change what others know too, or wait until others have.
bool may_change_memory(Spv op) {
  return (op >= Spv::OpAtomicLoad && op <= Spv::OpAtomicXor) || op == Spv::OpControlBarrier ||
         op == Spv::OpMemoryBarrier || op == Spv::OpImageWrite || op == Spv::OpAtomicFAddEXT ||
         op == Spv::OpAtomicFMinEXT || op == Spv::OpAtomicFMaxEXT || op == Spv::OpBeginInvocationInterlockEXT ||
         op == Spv::OpEndInvocationInterlockEXT || static_cast<std::uint16_t>(op) == kCooperativeMatrixStore;
}

/// Whether the value loaded now may stay a reference to the variable (nothing changes that before its last use).
bool may_alias(const ShaderContext& t, const Pointer& pointer) {
  const auto storage = static_cast<spv::StorageClass>(pointer.storage_class);
  if (storage == spv::StorageClass::Input || pointer.kind == Pointer::Kind::Constants) return true;
  if (t.function == nullptr || t.at == nullptr) return false;
  const Function& f = *t.function;
  const std::size_t load = static_cast<std::size_t>(t.at - t.module.instructions.data());
  const auto home = f.block_of.find(load);
  if (home == f.block_of.end()) return false;
  // The last place where the value, or something that may be a part of it, is read.
  std::size_t last = load;
  std::vector<std::uint32_t> pending{t.at->result};
  for (unsigned budget = 1024; !pending.empty();) {
    if (budget-- == 0) return false;
    const std::uint32_t id = pending.back();
    pending.pop_back();
    const auto uses = f.uses.find(id);
    if (uses == f.uses.end()) continue;
    for (const std::size_t k : uses->second) {
      const auto where = f.block_of.find(k);
      if (where == f.block_of.end() || where->second != home->second) return false;
      const Instruction& use = t.module.instructions[k];
      const auto op = static_cast<Spv>(use.opcode);
      if (op == Spv::OpFunctionCall || op == Spv::OpPhi) return false;
      last = std::max(last, k);
      if (may_forward(op) && use.result != 0) pending.push_back(use.result);
    }
  }
  if (last - load > 4096) return false;  // the search must not take longer than the copy
  for (std::size_t k = load + 1; k < last; ++k) {
    const Instruction& i = t.module.instructions[k];
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunctionCall || (!is_own(pointer.storage_class) && may_change_memory(op))) return false;
    if (op == Spv::OpStore || op == Spv::OpCopyMemory) {
      const std::uint32_t root = t.functions.root_of(i.operands[0]);
      const Instruction* target = t.module.find(root);
      if (root == pointer.root || target == nullptr || static_cast<Spv>(target->opcode) != Spv::OpVariable)
        return false;
      // Two descriptors may be one buffer.
      if (!is_own(pointer.storage_class) && !is_own(target->operands[0])) return false;
    }
    if (op == Spv::OpExtInst)
      for (const std::uint32_t operand : i.operands) {  // modf and frexp write to a pointer
        const std::uint32_t root = t.functions.root_of(operand);
        const Instruction* target = t.module.find(root);
        if (root == pointer.root || (target != nullptr && static_cast<Spv>(target->opcode) == Spv::OpFunctionParameter))
          return false;
      }
  }
  return true;
}

void access_chain(ShaderContext& t) {
  const auto base = pointer(t, t.operand(0));
  if (base == nullptr) {
    t.refuse("this pointer is not supported");
    return;
  }
  std::span<const std::uint32_t> indices = t.at->operands.subspan(1);
  Pointer from = *base;
  const auto op = static_cast<Spv>(t.at->opcode);
  if ((op == Spv::OpPtrAccessChain || op == Spv::OpInBoundsPtrAccessChain) && !indices.empty()) {
    const std::uint32_t type = t.module.type_of(t.operand(0));
    if (t.types.of(type).flat == 0) {
      t.refuse("pointers to elements of arrays that are not named are not supported");
      return;
    }
    from = t.pointers.advanced(from, indices[0], t.layout.pointer_stride(type));
    indices = indices.subspan(1);
  }
  Value v;
  v.type = t.at->type;
  v.pointer = std::make_shared<Pointer>(t.pointers.access(from, indices));
  t.set_value(std::move(v));
}

void load(ShaderContext& t) {
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr) {
    t.refuse("this pointer is not supported");
    return;
  }
  if (p->kind == Pointer::Kind::Descriptor) {
    Value v;
    v.type = t.at->type;
    const TypeInfo info = t.types.of(t.at->type);
    if (!is_opaque(info)) {
      t.refuse("a whole array of descriptors cannot be loaded");
      return;
    }
    v.handle = std::make_shared<Handle>();
    if (is(info, Spv::OpTypeSampler)) {
      v.handle->sampler = p->descriptor;
    } else {
      v.handle->image = p->descriptor;
      v.handle->type = is(info, Spv::OpTypeImage) ? t.at->type : t.module.find(t.at->type)->operands[0];
      if (is(info, Spv::OpTypeSampledImage)) v.handle->sampler = p->descriptor;
    }
    t.set_value(std::move(v));
    return;
  }
  if (p->kind != Pointer::Kind::Registers && p->kind != Pointer::Kind::Record && t.blocks.is_block(p->pointee)) {
    const bool one = p->descriptor.index.constant() && p->buffer_number.kind == Part::Kind::Undefined;
    Value v = t.blocks.loaded(*p, one && may_alias(t, *p));
    v.type = t.at->type;
    t.set_value(std::move(v));
    return;
  }
  Value v = t.memory.load(*p, t.result_name(t.annotations.name_of(p->root, "loaded")));
  if (p->kind == Pointer::Kind::Registers && p->dynamic_offsets.empty() && !may_alias(t, *p))
    for (Part& part : v.parts)
      if (part.kind == Part::Kind::Variable) part = t.b.copy(part, t.result_name("loaded"));
  v.type = t.at->type;
  t.set_value(std::move(v));
}

void store(ShaderContext& t) {
  if (t.blocks.is_done(*t.at) || t.blocks.store_row()) return;
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr)
    t.refuse("this pointer is not supported");
  else if (p->kind == Pointer::Kind::Registers)
    t.memory.store(*p, t.values.of(t.operand(1)));
  else
    t.memory.store(*p, t.values.stored(t.operand(1)));
}

void copy_memory(ShaderContext& t) {
  const auto to = pointer(t, t.operand(0)), from = pointer(t, t.operand(1));
  if (to == nullptr || from == nullptr)
    t.refuse("this pointer is not supported");
  else if (to->kind != Pointer::Kind::Registers && from->kind != Pointer::Kind::Registers &&
           from->kind != Pointer::Kind::Record && t.blocks.is_block(to->pointee))
    t.blocks.copy(*to, *from);
  else
    t.memory.store(*to, t.memory.load(*from, "copied"));
}

/// Elements of a runtime array: what is left of the buffer behind its start, in strides.
void array_length(ShaderContext& t) {
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr || p->kind != Pointer::Kind::Buffer) {
    t.refuse("only the arrays of buffers have a length");
    return;
  }
  const std::uint32_t member = t.operand(1);
  const std::uint32_t offset = t.layout.member_offset(p->pointee, member, p->kind);
  const std::uint32_t stride = std::max(1u, t.layout.array_stride(t.types.of(p->pointee).members[member], p->kind));
  const Part zero = t.b.copy(ud(0), "level");
  // resinfo takes no predicate: of several buffers the lanes pick theirs afterwards.
  Part bytes;
  t.memory.for_each_surface(*p, {}, [&](const std::string& surface, const Guard& those) {
    const Part size = t.b.message(16, 1, isa::Type::UD, "bytes", [&](const LaneRange& range, const VisaOperand& dst) {
      t.b.instruction("resinfo.R", range, {surface, t.b.raw(zero, range), dst});
    })[0];
    if (bytes.kind == Part::Kind::Undefined)
      bytes = size;
    else
      t.b.move(bytes, size, those);
  });
  // A buffer that ends before the array begins has no elements.
  Part rest = bytes;
  if (offset != 0) {
    const Part end = t.b.make("max", isa::Type::UD, {bytes, ud(offset)}, "end");
    rest = t.b.make("add", isa::Type::D, {end.as(isa::Type::D), constant(isa::Type::D, 0u - offset)}, "rest")
               .as(isa::Type::UD);
  }
  const Part length = t.result(isa::Type::UD);
  if (stride == 1)
    t.b.move(length, rest);
  else if ((stride & (stride - 1)) == 0)
    t.b.op("shr", length, {rest, ud(static_cast<std::uint32_t>(__builtin_ctz(stride)))});
  else
    t.b.op("div", length, {rest, ud(stride)});
  t.set({length});
}

constexpr Op kOps[] = {
    {static_cast<std::uint16_t>(Spv::OpVariable), make_variable},
    {static_cast<std::uint16_t>(Spv::OpAccessChain), access_chain},
    {static_cast<std::uint16_t>(Spv::OpInBoundsAccessChain), access_chain},
    {static_cast<std::uint16_t>(Spv::OpPtrAccessChain), access_chain},
    {static_cast<std::uint16_t>(Spv::OpInBoundsPtrAccessChain), access_chain},
    {static_cast<std::uint16_t>(Spv::OpLoad), load},
    {static_cast<std::uint16_t>(Spv::OpStore), store},
    {static_cast<std::uint16_t>(Spv::OpCopyMemory), copy_memory},
    {static_cast<std::uint16_t>(Spv::OpArrayLength), array_length},
};

}  // namespace

std::span<const Op> memory_ops() { return kOps; }

}  // namespace heddle::spirv::compiler
