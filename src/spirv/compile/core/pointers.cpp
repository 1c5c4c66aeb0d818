// SPDX-License-Identifier: MIT
// Rules: SPV-14, SPV-35.
#include "spirv/compile/core/pointers.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

#include "base/fixed_limits.hpp"
#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/core/context.hpp"
#include "spirv/compile/module/type_tests.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

// --- pointers as values ---

const std::vector<Pointers::ChosenBuffer>& Pointers::chosen_buffers() {
  if (chosen_buffers_) return *chosen_buffers_;
  std::vector<ChosenBuffer> list;
  const std::set<std::uint32_t> used = t_.functions.words_used_by(t_.entry.function);
  for (const Instruction& i : t_.module.instructions) {
    if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
    if (static_cast<Spv>(i.opcode) != Spv::OpVariable || !used.contains(i.result) ||
        static_cast<spv::StorageClass>(i.operands[0]) != spv::StorageClass::StorageBuffer)
      continue;
    const auto elements = static_cast<std::uint32_t>(t_.descriptors.of(i.result).surfaces.size());
    for (std::uint32_t k = 0; k < elements; ++k) list.push_back({i.result, k});
  }
  return chosen_buffers_.emplace(std::move(list));
}

/// Whether how the pointee lies in memory is known from the way to it only, not from its type.
bool Pointers::loses_layout(const Pointer& p) {
  if (p.row_major_vector) return true;
  TypeInfo info = t_.types.of(p.pointee);
  while (is(info, Spv::OpTypeArray) || is(info, Spv::OpTypeRuntimeArray)) info = t_.types.of(info.element);
  return is(info, Spv::OpTypeMatrix) && p.matrix.stride != 0 &&
         (p.matrix.row_major || p.matrix.stride != t_.layout.natural_size(info.element, false));
}

std::vector<Part> Pointers::scalars(const Pointer& p) {
  if (loses_layout(p)) t_.refuse("a pointer into a matrix as a value: the layout of the matrix would be lost");
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
  return {t_.b.make("add", isa::Type::UD, {index, ud(first)}, "buffer_number"), place};
}

std::shared_ptr<Pointer> Pointers::of(std::uint32_t id) {
  const Value* known = t_.values.computed(id);
  if (known != nullptr && known->pointer != nullptr) return known->pointer;
  const TypeInfo info = t_.types.of(t_.module.type_of(id));
  if (!is(info, Spv::OpTypePointer) || info.flat == 0) return nullptr;
  const std::vector<Part> parts = t_.values.of(id).parts;
  if (parts.size() != info.flat) return nullptr;
  auto p = std::make_shared<Pointer>();
  p->pointee = info.element;
  p->storage_class = info.count;
  const auto defined = [](const Part& part) {
    return part.kind == Part::Kind::Undefined ? constant(part.type, 0) : part;
  };
  if (info.flat == 1) {
    p->kind = Pointer::Kind::Address;
    p->address = parts[0].kind == Part::Kind::Variable ? parts[0] : t_.b.copy(defined(parts[0]), "address");
    return p;
  }
  const bool shared = static_cast<spv::StorageClass>(info.count) == spv::StorageClass::Workgroup;
  p->kind = shared ? Pointer::Kind::Shared : Pointer::Kind::Buffer;
  p->buffer_number = parts[0].kind == Part::Kind::Variable ? parts[0] : t_.b.copy(defined(parts[0]), "buffer_number");
  p->dynamic = defined(parts[1]);
  return p;
}

// --- steps ---

/// Adds index * unit to the part of a pointer that is known at run time only.
void Pointers::add_index(Pointer& p, const Part& index, std::uint32_t unit) {
  VisaWriter& b = t_.b;
  if (p.kind == Pointer::Kind::Address) {
    const isa::Type wide = isa::is_signed(index.type) ? isa::Type::Q : isa::Type::UQ;
    Part scaled = isa::type_bytes(index.type) == 8 ? index : convert_number(b, index, wide, "index");
    if (std::has_single_bit(unit)) {
      const auto bits = static_cast<std::uint32_t>(std::countr_zero(unit));
      if (bits != 0) scaled = b.make("shl", isa::Type::UQ, {scaled.as(isa::Type::UQ), ud(bits)}, "offset");
    } else {
      const Part product = b.lanes(isa::Type::UQ, "offset");
      multiply(b, product, scaled.as(isa::Type::UQ), constant(isa::Type::UQ, unit));
      scaled = product;
    }
    p.address = b.make("add", isa::Type::UQ, {p.address, scaled.as(isa::Type::UQ)}, "address");
    return;
  }
  Part scaled = index.as(isa::Type::UD);
  if (isa::type_bytes(index.type) != 4)
    scaled =
        convert_number(b, index, isa::is_signed(index.type) ? isa::Type::D : isa::Type::UD, "index").as(isa::Type::UD);
  if (unit != 1) scaled = b.make("mul", isa::Type::UD, {scaled, ud(unit)}, "offset");
  p.dynamic = p.dynamic.constant() && p.dynamic.bits == 0 ? scaled
                                                          : b.make("add", isa::Type::UD, {p.dynamic, scaled}, "offset");
}

/// The same for a constant index, whose sign counts.
void Pointers::add_constant(Pointer& p, const Part& index, std::uint32_t unit) {
  const unsigned width = isa::type_bytes(index.type) * 8;
  std::int64_t number = static_cast<std::int64_t>(index.bits);
  if (isa::is_signed(index.type) && width < 64) number = number << (64 - width) >> (64 - width);
  const std::uint64_t bytes = static_cast<std::uint64_t>(number) * unit;
  const std::uint64_t all = p.offset + bytes;
  if (p.kind != Pointer::Kind::Address || all <= UINT32_MAX)
    p.offset = static_cast<std::uint32_t>(all);
  else
    p.address = t_.b.make("add", isa::Type::UQ, {p.address, constant(isa::Type::UQ, bytes)}, "address");
}

void Pointers::add(Pointer& p, const Part& index, std::uint32_t unit) {
  if (index.constant())
    add_constant(p, index, unit);
  else
    add_index(p, index, unit);
}

/// One step into a variable kept in registers; `element`: scalars of one of `count` elements.
void Pointers::enter_registers(Pointer& p, std::uint32_t unit, std::uint32_t count, const Part& index) {
  if (index.constant()) {
    p.first += std::min(static_cast<std::uint32_t>(index.bits), count == 0 ? 0 : count - 1) * unit;
    return;
  }
  if (p.dynamic_offsets.empty()) p.dynamic_offsets = {0};
  std::vector<std::uint32_t> offsets;
  for (const std::uint32_t offset : p.dynamic_offsets)
    for (std::uint32_t k = 0; k < std::min(count, base::kValueScalars); ++k) offsets.push_back(offset + k * unit);
  p.dynamic_offsets = std::move(offsets);
  add_index(p, index, unit);
}

/// One step into a vector, matrix or array in memory.
void Pointers::enter_memory(Pointer& p, const Part& index) {
  const TypeInfo info = t_.types.of(p.pointee);
  std::uint32_t unit = 0;
  const bool dwords = in_dwords(p.kind);
  if (is(info, Spv::OpTypeVector)) {
    unit = p.row_major_vector ? p.matrix.stride : scalar_size(info, dwords);
    p.row_major_vector = false;
  } else if (is(info, Spv::OpTypeMatrix)) {
    const bool laid_out = p.matrix.stride != 0 && !dwords;
    unit = !laid_out            ? t_.layout.natural_size(info.element, dwords)
           : p.matrix.row_major ? scalar_size(info, false)
                                : p.matrix.stride;
    p.row_major_vector = laid_out && p.matrix.row_major;
  } else {
    unit = t_.layout.array_stride(p.pointee, p.kind);
  }
  add(p, index, unit);
}

Pointer Pointers::advanced(const Pointer& pointer, std::uint32_t index, std::uint32_t stride) {
  return moved(pointer, t_.values.part(index), stride);
}

Pointer Pointers::moved(const Pointer& pointer, const Part& index, std::uint32_t stride) {
  Pointer p = pointer;
  add(p, index, stride);
  return p;
}

/// One step into a structure.
void Pointers::enter_structure(Pointer& p, std::uint32_t member) {
  const TypeInfo info = t_.types.of(p.pointee);
  if (p.kind == Pointer::Kind::Registers) {
    for (std::uint32_t m = 0; m < member; ++m) p.first += t_.types.of(info.members[m]).flat;
  } else {
    p.offset += t_.layout.member_offset(p.pointee, member, p.kind);
    p.matrix = in_dwords(p.kind) ? MatrixLayout{} : t_.layout.matrix(p.pointee, member);
  }
  p.pointee = info.members[member];
}

Pointer Pointers::part(const Pointer& whole, const Part& index) {
  Pointer p = whole;
  const TypeInfo info = t_.types.of(p.pointee);
  const auto literal = static_cast<std::uint32_t>(index.bits);
  if (is(info, Spv::OpTypeStruct)) {
    if (index.constant() && literal < info.members.size()) enter_structure(p, literal);
    return p;
  }
  if (p.chooses_record) {
    p.record = p.records->place(isa::type_bytes(index.type) == 4 ? index.as(isa::Type::UD)
                                                                 : t_.b.convert(index, isa::Type::UD, "index"));
    p.chooses_record = false;
  } else if (p.kind == Pointer::Kind::Descriptor) {  // an array of descriptors
    p.descriptor.index = index.constant()                   ? ud(literal)
                         : isa::type_bytes(index.type) == 4 ? index.as(isa::Type::UD)
                                                            : t_.b.convert(index, isa::Type::UD, "index");
    if (!is_opaque(t_.types.of(info.element))) p.kind = Pointer::Kind::Buffer;
  } else if (p.kind == Pointer::Kind::Registers) {
    enter_registers(p, t_.types.of(info.element).flat, info.count, index);
  } else {
    enter_memory(p, index);
  }
  p.pointee = info.element;
  return p;
}

Pointer Pointers::access(const Pointer& base, std::span<const std::uint32_t> indices) {
  Pointer p = base;
  for (const std::uint32_t id : indices) {
    const Part index = t_.values.part(id);
    const TypeInfo info = t_.types.of(p.pointee);
    if (is(info, Spv::OpTypeStruct) && (!index.constant() || index.bits >= info.members.size())) return p;
    p = part(p, index);
  }
  return p;
}

// --- places ---

Part Pointers::byte_offset(const Pointer& p, std::uint32_t extra) {
  if (p.kind == Pointer::Kind::Address)
    return extra == 0 ? t_.b.in_register(p.address)
                      : t_.b.make("add", isa::Type::UQ, {p.address, constant(isa::Type::UQ, extra)}, "address");
  if (p.kind == Pointer::Kind::Scratch) {
    const std::uint32_t lane_bytes = t_.b.simd() * 4;
    Part offset = t_.variables.scratch_base();
    if (!p.dynamic.constant() || p.dynamic.bits != 0) {
      const Part scaled = t_.b.make("mul", isa::Type::UD, {p.dynamic, ud(lane_bytes)}, "element");
      offset = t_.b.make("add", isa::Type::UD, {scaled, offset}, "address");
    }
    return extra == 0 ? offset : t_.b.make("add", isa::Type::UD, {offset, ud(extra * lane_bytes)}, "address");
  }
  if (p.kind == Pointer::Kind::Record) {
    Part place = p.record;
    if (!p.dynamic.constant() || p.dynamic.bits != 0)
      place = t_.b.make("add", isa::Type::UD, {t_.b.make("shl", isa::Type::UD, {p.dynamic, ud(2)}, "element"), place},
                        "address");
    return extra == 0 ? t_.b.in_register(place) : t_.b.make("add", isa::Type::UD, {place, ud(extra * 4)}, "address");
  }
  if (p.dynamic.constant()) return t_.b.copy(ud(static_cast<std::uint32_t>(p.dynamic.bits) + extra), "address");
  return extra == 0 ? t_.b.in_register(p.dynamic) : t_.b.make("add", isa::Type::UD, {p.dynamic, ud(extra)}, "address");
}

}  // namespace heddle::spirv::compiler
