// The instructions of memory: OpVariable to OpArrayLength.
#include "spirv/compile/core/layout.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

void make_variable(ShaderTranslator& t) { t.variable(*t.at); }

std::shared_ptr<Pointer> pointer(ShaderTranslator& t, std::uint32_t id) { return t.pointer_of(id); }

/// Bytes from one element to the next behind a pointer of that type: ArrayStride, or in Workgroup memory without a
/// layout what an element takes.
std::uint32_t pointer_stride(ShaderTranslator& t, std::uint32_t type) {
  const auto stride = t.decoration(type, static_cast<std::uint32_t>(spv::Decoration::ArrayStride));
  return stride && !stride->empty() ? (*stride)[0] : t.natural_size(t.type(type).element, false);
}

void access_chain(ShaderTranslator& t) {
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
    if (t.type(type).flat == 0) {
      t.refuse("pointers to elements of arrays that are not named are not supported");
      return;
    }
    from = t.advanced(from, indices[0], pointer_stride(t, type));
    indices = indices.subspan(1);
  }
  Value v;
  v.type = t.at->type;
  v.pointer = std::make_shared<Pointer>(t.access(from, indices));
  t.set(t.at->result, std::move(v));
}

void load(ShaderTranslator& t) {
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr) {
    t.refuse("this pointer is not supported");
    return;
  }
  if (p->kind == Pointer::Kind::Descriptor) {
    Value v;
    v.type = t.at->type;
    const TypeInfo info = t.type(t.at->type);
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
    t.set(t.at->result, std::move(v));
    return;
  }
  Value v = t.load(*p, t.name_of(t.at->result, t.name_of(p->root, "loaded")));
  if (p->kind == Pointer::Kind::Registers && p->dynamic_offsets.empty() && !t.may_alias(*p))
    for (Part& part : v.parts)
      if (part.kind == Part::Kind::Variable) part = t.b.copy(part, t.name_of(t.at->result, "loaded"));
  v.type = t.at->type;
  t.set(t.at->result, std::move(v));
}

void store(ShaderTranslator& t) {
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr)
    t.refuse("this pointer is not supported");
  else
    t.store(*p, t.value(t.operand(1)));
}

void copy_memory(ShaderTranslator& t) {
  const auto to = pointer(t, t.operand(0)), from = pointer(t, t.operand(1));
  if (to == nullptr || from == nullptr)
    t.refuse("this pointer is not supported");
  else
    t.store(*to, t.load(*from, "copied"));
}

/// Elements of a runtime array: what is left of the buffer behind its start, in strides.
void array_length(ShaderTranslator& t) {
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr || p->kind != Pointer::Kind::Buffer) {
    t.refuse("only the arrays of buffers have a length");
    return;
  }
  const std::uint32_t member = t.operand(1);
  const std::uint32_t offset = member_offset(t, p->pointee, member, p->kind);
  const std::uint32_t stride = std::max(1u, array_stride(t, t.type(p->pointee).members[member], p->kind));
  const Part zero = t.b.copy(ud(0), "level");
  // resinfo takes no predicate: of several buffers the lanes pick theirs afterwards.
  Part bytes;
  for_each_surface(t, *p, {}, [&](const std::string& surface, const Guard& those) {
    const Part size = t.b.message(16, 1, isa::Type::UD, "bytes", [&](const Piece& piece, const VisaOperand& dst) {
      t.b.instruction("resinfo.R", piece, {surface, t.b.raw(zero, piece), dst});
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
