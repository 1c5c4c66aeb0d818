// Pointers that values hold: 64-bit addresses (PhysicalStorageBuffer), and pointers into storage buffers and Workgroup
// memory that are chosen at run time (VariablePointers).
// Rules: SPV-14, SPV-35.
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/core/layout.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

std::uint32_t ShaderTranslator::pointer_scalars(std::uint32_t storage_class) const {
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

const std::vector<ShaderTranslator::ChosenBuffer>& ShaderTranslator::chosen_buffers() {
  if (chosen_buffers_) return *chosen_buffers_;
  std::vector<ChosenBuffer> list;
  const std::set<std::uint32_t> used = used_words();
  for (const Instruction& i : module.instructions) {
    if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
    if (static_cast<Spv>(i.opcode) != Spv::OpVariable || !used.contains(i.result) ||
        static_cast<spv::StorageClass>(i.operands[0]) != spv::StorageClass::StorageBuffer)
      continue;
    const auto elements = static_cast<std::uint32_t>(descriptor(i.result).surfaces.size());
    for (std::uint32_t k = 0; k < elements; ++k) list.push_back({i.result, k});
  }
  return chosen_buffers_.emplace(std::move(list));
}

namespace {

/// Whether how the pointee lies in memory is known from the way to it only, not from its type.
bool layout_is_lost(ShaderTranslator& t, const Pointer& p) {
  if (p.row_major_vector) return true;
  TypeInfo info = t.type(p.pointee);
  while (is(info, Spv::OpTypeArray) || is(info, Spv::OpTypeRuntimeArray)) info = t.type(info.element);
  return is(info, Spv::OpTypeMatrix) && p.matrix.stride != 0 &&
         (p.matrix.row_major || p.matrix.stride != t.natural_size(info.element, false));
}

}  // namespace

std::vector<Part> ShaderTranslator::pointer_parts(const Pointer& p) {
  if (layout_is_lost(*this, p)) refuse("a pointer into a matrix as a value: the layout of the matrix would be lost");
  if (p.kind == Pointer::Kind::Address) return {byte_offset(p, p.offset)};
  const Part place = byte_offset(p, p.offset);
  if (p.kind == Pointer::Kind::Shared) return {ud(1), place};
  if (p.descriptor.variable == 0) return {p.buffer_number, place};
  std::uint32_t first = 1;
  for (const ChosenBuffer& buffer : chosen_buffers()) {
    if (buffer.variable == p.descriptor.variable) break;
    ++first;
  }
  const Part& index = p.descriptor.index;
  if (index.constant()) return {ud(first + static_cast<std::uint32_t>(index.bits)), place};
  return {b.make("add", isa::Type::UD, {index, ud(first)}, "buffer_number"), place};
}

std::shared_ptr<Pointer> ShaderTranslator::pointer_of(std::uint32_t id) {
  const auto found = values_.find(id);
  if (found != values_.end() && found->second.pointer != nullptr) return found->second.pointer;
  const TypeInfo info = type(module.type_of(id));
  if (!is(info, Spv::OpTypePointer) || info.flat == 0) return nullptr;
  const std::vector<Part> parts = value(id).parts;
  if (parts.size() != info.flat) return nullptr;
  auto p = std::make_shared<Pointer>();
  p->pointee = info.element;
  p->storage_class = info.count;
  const auto known = [](const Part& part) {
    return part.kind == Part::Kind::Undefined ? constant(part.type, 0) : part;
  };
  if (info.flat == 1) {
    p->kind = Pointer::Kind::Address;
    p->address = parts[0].kind == Part::Kind::Variable ? parts[0] : b.copy(known(parts[0]), "address");
    return p;
  }
  const bool shared = static_cast<spv::StorageClass>(info.count) == spv::StorageClass::Workgroup;
  p->kind = shared ? Pointer::Kind::Shared : Pointer::Kind::Buffer;
  p->buffer_number = parts[0].kind == Part::Kind::Variable ? parts[0] : b.copy(known(parts[0]), "buffer_number");
  p->dynamic = known(parts[1]);
  return p;
}

namespace {

void convert_pointer(ShaderTranslator& t) {
  const TypeInfo from = t.type(t.module.type_of(t.operand(0))), into = t.type(t.at->type);
  if ((is(from, Spv::OpTypePointer) ? from : into).flat != 1) return t.refuse("only pointers of 64 bits are numbers");
  const Part number = t.part(t.operand(0));
  t.set({bits_of(number) == into.bits
             ? number.as(into.scalar)
             : convert_number(t.b, as_unsigned(number), into.scalar, t.name_of(t.at->result))});
}

void compare_pointers(ShaderTranslator& t) {
  const std::vector<Part> x = parts_of(t, t.operand(0)), y = parts_of(t, t.operand(1));
  if (x.empty() || x.size() != y.size()) return t.refuse("these pointers cannot be compared");
  Part equal;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Part same = t.b.compare("eq", t.b.in_register(x[k]), y[k]);
    equal = k == 0 ? same : logical_and(t.b, equal, same);
  }
  t.set({static_cast<Spv>(t.at->opcode) == Spv::OpPtrNotEqual ? logical_not(t.b, equal) : equal});
}

void subtract_pointers(ShaderTranslator& t) {
  const std::vector<Part> x = parts_of(t, t.operand(0)), y = parts_of(t, t.operand(1));
  const std::uint32_t type = t.module.type_of(t.operand(0));
  if (x.empty() || x.size() != y.size()) return t.refuse("these pointers cannot be subtracted");
  const auto stride = t.decoration(type, static_cast<std::uint32_t>(spv::Decoration::ArrayStride));
  const std::uint32_t size = stride && !stride->empty() ? (*stride)[0] : t.natural_size(t.type(type).element, false);
  const Part a = as_signed(t.b.in_register(x.back())), c = as_signed(t.b.in_register(y.back()));
  const Part bytes = t.b.make("add", a.type, {a, negated(c)}, "bytes"), elements = t.b.lanes(a.type, "elements");
  divide(t.b, &elements, nullptr, bytes, integer_like(bytes, std::max(1u, size)));
  const isa::Type result = t.type(t.at->type).scalar;
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
