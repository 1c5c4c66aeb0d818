// Atomic operations on storage buffers and workgroup memory; barriers. Those on texels are in image.cpp.
// Rules: SPV-19, SPV-20.

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp>
#include <string_view>

#include "spirv/compile/images/image.hpp"
#include "spirv/compile/operations/scalar.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

/// vISA's operation, the type of its data, and the operand words of its sources (0: none).
struct Atomic {
  std::string_view op;
  Type type = Type::UD;
  unsigned value = 3, comparator = 0;
};

Atomic atomic_of(std::uint16_t opcode) {
  switch (opcode) {
    case spv::OpAtomicExchange:
      return {"xchg"};
    case spv::OpAtomicCompareExchange:
      return {"cmpxchg", Type::UD, 4, 5};
    case spv::OpAtomicIIncrement:
      return {"inc", Type::UD, 0};
    case spv::OpAtomicIDecrement:
      return {"dec", Type::UD, 0};
    case spv::OpAtomicIAdd:
      return {"add"};
    case spv::OpAtomicISub:
      return {"sub"};
    case spv::OpAtomicSMin:
      return {"minsint", Type::D};
    case spv::OpAtomicUMin:
      return {"min"};
    case spv::OpAtomicSMax:
      return {"maxsint", Type::D};
    case spv::OpAtomicUMax:
      return {"max"};
    case spv::OpAtomicAnd:
      return {"and"};
    case spv::OpAtomicOr:
      return {"or"};
    case spv::OpAtomicXor:
      return {"xor"};
    case spv::OpAtomicFAddEXT:
      return {"fadd", Type::F};
    case spv::OpAtomicFMinEXT:
      return {"fmin", Type::F};
    default:
      return {"fmax", Type::F};
  }
}

/// Memory semantics that keep what follows, or what went before, on its side.
constexpr std::uint64_t kOrdered = std::uint64_t{spv::MemorySemanticsAcquireReleaseMask} +
                                   std::uint64_t{spv::MemorySemanticsSequentiallyConsistentMask};
constexpr std::uint64_t kAcquire = kOrdered + std::uint64_t{spv::MemorySemanticsAcquireMask};
constexpr std::uint64_t kRelease = kOrdered + std::uint64_t{spv::MemorySemanticsReleaseMask};

/// Fences as Intel's compiler writes them.
void fence(ShaderTranslator& t, std::uint64_t semantics, std::uint64_t orderings = kAcquire | kRelease) {
  if ((semantics & orderings) == 0) return;
  const bool lsc = t.b.platform() >= isa::Platform::DG2;
  if ((semantics & (spv::MemorySemanticsUniformMemoryMask | spv::MemorySemanticsCrossWorkgroupMemoryMask |
                    spv::MemorySemanticsAtomicCounterMemoryMask | spv::MemorySemanticsImageMemoryMask)) != 0)
    t.b.line(lsc ? "lsc_fence.ugm.none.tile" : "fence_global.E");
  if ((semantics & spv::MemorySemanticsWorkgroupMemoryMask) != 0)
    t.b.line(lsc ? "lsc_fence.slm.none.group" : t.b.platform() < isa::Platform::ICLLP ? "fence_sw" : "fence_local.E");
}

/// The operand in a variable declared with that type: what a raw operand needs.
Part data(ShaderTranslator& t, std::uint32_t id, Type type) {
  const Part copy = t.b.lanes(type, "data");
  t.b.move(copy, t.part(id).as(type));
  return copy;
}

void atomic(ShaderTranslator& t) {
  if (image_atomic(t)) return;
  const std::shared_ptr<Pointer> pointer = t.value(t.operand(0)).pointer;
  if (pointer == nullptr || (pointer->kind != Pointer::Kind::Buffer && pointer->kind != Pointer::Kind::Shared)) {
    t.refuse("an atomic operation on memory that threads do not share");
    return;
  }
  const TypeInfo& info = t.type(t.at->opcode == spv::OpAtomicStore ? t.module.type_of(t.operand(3)) : t.at->type);
  const bool store = t.at->opcode == spv::OpAtomicStore, load = t.at->opcode == spv::OpAtomicLoad;
  if (!store && !load && info.bits != 32) {
    t.refuse(fmt::format("vISA has no such operation on {} bits in buffers", info.bits));
    return;
  }
  const std::uint64_t semantics = t.constant_of(t.operand(2)).value_or(0);
  fence(t, semantics, kRelease);
  if (store) {
    t.store(*pointer, t.value(t.operand(3)));
    fence(t, semantics, kAcquire);
    return;
  }
  if (load) {
    t.set(t.load(*pointer, t.name_of(t.at->result)).parts);
    fence(t, semantics, kAcquire);
    return;
  }
  const Atomic a = atomic_of(t.at->opcode);
  const Part offset = t.byte_offset(*pointer, pointer->offset);
  const Part dst = t.b.lanes(a.type, t.name_of(t.at->result, "old"));
  const Part first = a.value != 0 ? data(t, t.operand(a.value), a.type) : Part{};
  const Part second = a.comparator != 0 ? data(t, t.operand(a.comparator), a.type) : Part{};
  const auto emit = [&](std::string_view surface, const Guard& guard) {
    const Guard lanes = t.both(guard, t.live());
    for (const Piece& piece : t.b.pieces()) {
      const auto raw = [&](const Part& p) { return p.kind == Part::Kind::Variable ? t.b.raw(p, piece) : "%null.0"; };
      t.b.line(fmt::format("{}dword_atomic.{} {} {} {} {} {} {}", t.b.guard_text(lanes), a.op, VisaWriter::exec(piece),
                           surface, raw(offset), raw(first), raw(second), raw(dst)));
    }
  };
  if (pointer->kind == Pointer::Kind::Shared)
    emit("%slm", {});
  else
    t.each_element(pointer->descriptor, [&](std::uint32_t element, const Guard& guard) {
      const DescriptorVariable& variable = t.descriptor(pointer->descriptor.variable);
      if (element < variable.surfaces.size()) emit(variable.surfaces[element], guard);
    });
  fence(t, semantics, kAcquire);
  t.set({dst.as(info.scalar)});
}

void control_barrier(ShaderTranslator& t) {
  const std::uint64_t scope = t.constant_of(t.operand(0)).value_or(spv::ScopeWorkgroup);
  fence(t, t.constant_of(t.operand(2)).value_or(0));
  // A subgroup is one thread: its lanes never run apart.
  if (scope == spv::ScopeSubgroup) return;
  if (scope != spv::ScopeWorkgroup) {
    t.refuse("a control barrier wider than a workgroup");
    return;
  }
  t.b.line("barrier");
}

void memory_barrier(ShaderTranslator& t) { fence(t, t.constant_of(t.operand(1)).value_or(0)); }

}  // namespace

std::span<const Op> atomic_ops() {
  static constexpr Op kOps[] = {
      {spv::OpAtomicLoad, atomic},
      {spv::OpAtomicStore, atomic},
      {spv::OpAtomicExchange, atomic},
      {spv::OpAtomicIIncrement, atomic},
      {spv::OpAtomicIDecrement, atomic},
      {spv::OpAtomicCompareExchange, atomic},
      {spv::OpAtomicIAdd, atomic},
      {spv::OpAtomicISub, atomic},
      {spv::OpAtomicSMin, atomic},
      {spv::OpAtomicUMin, atomic},
      {spv::OpAtomicSMax, atomic},
      {spv::OpAtomicUMax, atomic},
      {spv::OpAtomicAnd, atomic},
      {spv::OpAtomicOr, atomic},
      {spv::OpAtomicXor, atomic},
      {spv::OpAtomicFMinEXT, atomic},
      {spv::OpAtomicFMaxEXT, atomic},
      {spv::OpAtomicFAddEXT, atomic},
      {spv::OpControlBarrier, control_barrier},
      {spv::OpMemoryBarrier, memory_barrier},
  };
  return kOps;
}

}  // namespace heddle::spirv::compiler
