// SPDX-License-Identifier: MIT
// Atomic operations on storage buffers and workgroup memory; barriers. Those on texels are in images/image_atomic.cpp.
// Rules: FBO-7, MSH-3, SPV-19, SPV-20, TES-11.

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp>
#include <string>
#include <string_view>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/operations/operations.hpp"

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
void fence(ShaderContext& t, std::uint64_t semantics, std::uint64_t orderings = kAcquire | kRelease) {
  if ((semantics & orderings) == 0) return;
  const bool lsc = t.b.platform() >= isa::Platform::DG2;
  if ((semantics & (spv::MemorySemanticsUniformMemoryMask | spv::MemorySemanticsCrossWorkgroupMemoryMask |
                    spv::MemorySemanticsAtomicCounterMemoryMask | spv::MemorySemanticsImageMemoryMask)) != 0)
    t.b.thread_instruction(lsc ? "lsc_fence.ugm.none.tile" : "fence_global.E");
  if ((semantics & spv::MemorySemanticsWorkgroupMemoryMask) != 0)
    t.b.thread_instruction(lsc                                     ? "lsc_fence.slm.none.group"
                           : t.b.platform() < isa::Platform::ICLLP ? "fence_sw"
                                                                   : "fence_local.E");
}

/// The operand in a variable declared with that type: what a raw operand needs.
Part data(ShaderContext& t, std::uint32_t id, Type type) {
  const Part copy = t.b.lanes(type, "data");
  t.b.move(copy, t.values.part(id).as(type));
  return copy;
}

/// One atomic message for each surface and range. `address`: byte offsets; `first`, `second`, `dst` may be Undefined.
void emit(ShaderContext& t, const Pointer& p, std::string_view op, const Part& address, const Part& first,
          const Part& second, const Part& dst) {
  t.memory.for_each_surface(p, t.lanes.live(), [&](const std::string& surface, const Guard& lanes) {
    for (const LaneRange& range : t.b.lane_ranges()) {
      const auto raw = [&](const Part& part) {
        return part.kind == Part::Kind::Variable ? t.b.raw(part, range) : no_registers();
      };
      if (p.kind == Pointer::Kind::Address)
        t.b.instruction("svm_atomic." + std::string(op), range, {raw(address), raw(dst), raw(first), raw(second)},
                        lanes);
      else
        t.b.instruction("dword_atomic." + std::string(op), range,
                        {surface, raw(address), raw(first), raw(second), raw(dst)}, lanes);
    }
  });
}

/// The new 16 bits for old ones. `comparator` counts for cmpxchg only.
Part combined_half(ShaderContext& t, std::string_view op, const Part& old, const Part& value, const Part& comparator) {
  VisaWriter& b = t.b;
  if (op == "xchg") return value;
  if (op == "cmpxchg") return b.select(b.compare("eq", old, comparator, "is_expected"), value, old, "combined");
  const auto real = [&](const Part& part) { return b.convert(part.as(Type::HF), Type::F, "operand"); };
  const auto make = [&](std::string_view instruction, Type type, const Source& x, const Source& y) {
    return b.convert(b.make(instruction, type, {x, y}, "combined"), type == Type::F ? Type::HF : Type::UW).as(Type::UW);
  };
  if (op == "fadd") return make("add", Type::F, real(old), real(value));
  if (op == "fmin" || op == "fmax") return make(op.substr(1), Type::F, real(old), real(value));
  const auto wide = [&](const Part& part, Type type) {
    return b.convert(part.as(type == Type::D ? Type::W : Type::UW), type, "operand");
  };
  if (op == "minsint" || op == "maxsint")
    return make(op.substr(0, 3), Type::D, wide(old, Type::D), wide(value, Type::D));
  const Part x = wide(old, Type::UD);
  if (op == "inc") return make("add", Type::UD, x, ud(1));
  if (op == "dec") return make("add", Type::UD, x, ud(0xffffffffu));
  if (op == "sub") return make("add", Type::D, wide(old, Type::D), negated(wide(value, Type::D)));
  return make(op, Type::UD, x, wide(value, Type::UD));  // add, min, max, and, or, xor
}

/// Platforms before ICLLP have no atomics of 16 bits: the dword around the half is exchanged until nobody came between.
Part half_atomic_loop(ShaderContext& t, const Pointer& p, std::string_view op, const Part& address, const Part& value,
                      const Part& comparator) {
  VisaWriter& b = t.b;
  const Part dword = b.make("and", address.type, {address, constant(address.type, ~std::uint64_t{3})}, "dword");
  const Part low = address.type == Type::UQ ? low_half(address) : address;
  const Part byte = b.make("and", Type::UD, {low, ud(2)}, "byte");
  const Part shift = b.make("shl", Type::UD, {byte, ud(3)}, "shift");
  const Part field = b.make("shl", Type::UD, {b.copy(ud(0xffff), "half"), shift}, "field");
  const Part others = b.make("not", Type::UD, {field}, "others");
  const Part old = b.lanes(Type::UD, "old"), got = b.lanes(Type::UD, "got");
  // A compare-exchange of 0 with 0 reads and changes nothing.
  const Part zero = b.copy(ud(0), "zero");
  b.move(old, ud(0));
  emit(t, p, "cmpxchg", dword, zero, zero, old);
  const std::string again = b.label("exchange");
  b.place(again);
  const Part down = b.make("shr", Type::UD, {old, shift}, "down");
  const Part before = b.convert(down, Type::UW, "old_half");
  const Part next = b.convert(combined_half(t, op, before, value, comparator), Type::UD, "next");
  const Part up = b.make("shl", Type::UD, {next, shift}, "up"), kept = b.make("and", Type::UD, {old, others}, "kept");
  const Part both = b.make("or", Type::UD, {up, kept}, "both"), expected = b.copy(old, "expected");
  b.move(got, old);
  emit(t, p, "cmpxchg", dword, both, expected, got);
  const Part missed = b.compare("ne", got, old, "missed");
  b.move(old, got);
  b.jump(again, {missed, false, false});
  return b.convert(b.make("shr", Type::UD, {old, shift}, "down"), Type::UW, t.result_name("old"));
}

/// Read-modify-write of the current instruction; gives the old value.
Part read_modify_write(ShaderContext& t, const Pointer& p, const TypeInfo& info) {
  Atomic a = atomic_of(t.at->opcode);
  const Part address = t.pointers.byte_offset(p, p.offset);
  if (info.bits == 8) {
    t.refuse("there are no atomics of 8 bits");
    return constant(info.scalar, 0);
  }
  if (info.bits == 16) {
    const auto half = [&](unsigned operand) {
      return operand == 0 ? Part{} : t.b.copy(t.values.part(t.operand(operand)).as(Type::UW), "data");
    };
    const Part value = half(a.value), comparator = half(a.comparator);
    if (t.b.platform() < isa::Platform::ICLLP) return half_atomic_loop(t, p, a.op, address, value, comparator);
    // Operands lie in the low halves of dwords.
    const auto wide = [&](const Part& part) {
      return part.kind == Part::Kind::Variable ? t.b.convert(part, Type::UD, "data").as(a.type) : Part{};
    };
    const Part old = t.b.lanes(Type::UD, "old");
    emit(t, p, fmt::format("{}.16", a.op), address, wide(value), wide(comparator), old.as(a.type));
    return t.b.convert(old, Type::UW, t.result_name("old"));
  }
  if (info.bits == 64) a.type = a.type == Type::F ? Type::DF : a.type == Type::D ? Type::Q : Type::UQ;
  const Part dst = t.b.lanes(a.type, t.result_name("old"));
  const Part first = a.value != 0 ? data(t, t.operand(a.value), a.type) : Part{};
  const Part second = a.comparator != 0 ? data(t, t.operand(a.comparator), a.type) : Part{};
  emit(t, p, info.bits == 64 ? fmt::format("{}.64", a.op) : std::string(a.op), address, first, second, dst);
  return dst;
}

void control_barrier(ShaderContext& t) {
  // TES-11: a patch's invocations are lanes of one thread; what they wrote to records has arrived.
  if (t.entry.stage == isa::ShaderStage::TessellationControl)
    return fence(t, kOrdered | spv::MemorySemanticsUniformMemoryMask);
  const std::uint64_t scope = t.values.integer(t.operand(0)).value_or(spv::ScopeWorkgroup);
  std::uint64_t semantics = t.values.integer(t.operand(2)).value_or(0);
  // MSH-3: what the group shares is its payload, too, which lies in memory.
  if (t.entry.stage == isa::ShaderStage::Task && (semantics & spv::MemorySemanticsWorkgroupMemoryMask) != 0)
    semantics |= spv::MemorySemanticsUniformMemoryMask;
  fence(t, semantics);
  // A subgroup is one thread: its lanes never run apart.
  if (scope == spv::ScopeSubgroup) return;
  if (scope != spv::ScopeWorkgroup) {
    t.refuse("a control barrier wider than a workgroup");
    return;
  }
  t.b.thread_instruction("barrier");
}

/// Fragments of one pixel run in the order of their primitives, each thread to its end (FBO-7): what one wrote must
/// only have arrived.
void interlock(ShaderContext& t) { fence(t, kOrdered | spv::MemorySemanticsUniformMemoryMask); }

void memory_barrier(ShaderContext& t) { fence(t, t.values.integer(t.operand(1)).value_or(0)); }

bool is_payload(const Pointer& pointer) {
  return pointer.kind == Pointer::Kind::Record && pointer.storage_class == spv::StorageClassTaskPayloadWorkgroupEXT;
}

}  // namespace

void translate_memory_atomic(ShaderContext& t) {
  const std::shared_ptr<Pointer> pointer = t.pointers.of(t.operand(0));
  if (pointer == nullptr || (pointer->kind != Pointer::Kind::Buffer && pointer->kind != Pointer::Kind::Shared &&
                             pointer->kind != Pointer::Kind::Address && !is_payload(*pointer))) {
    t.refuse("an atomic operation on memory that threads do not share");
    return;
  }
  const bool store = t.at->opcode == spv::OpAtomicStore, load = t.at->opcode == spv::OpAtomicLoad;
  const TypeInfo info = t.types.of(store ? t.module.type_of(t.operand(3)) : t.at->type);
  const std::uint64_t semantics = t.values.integer(t.operand(2)).value_or(0);
  fence(t, semantics, kRelease);
  if (store)
    t.memory.store(*pointer, t.values.of(t.operand(3)));
  else if (load)
    t.set(t.memory.load(*pointer, t.result_name()).parts);
  else
    t.set({read_modify_write(t, *pointer, info).as(info.scalar)});
  fence(t, semantics, kAcquire);
}

std::span<const Op> barrier_ops() {
  static constexpr Op kOps[] = {
      {spv::OpControlBarrier, control_barrier},
      {spv::OpMemoryBarrier, memory_barrier},
      {spv::OpBeginInvocationInterlockEXT, interlock},
      {spv::OpEndInvocationInterlockEXT, interlock},
  };
  return kOps;
}

}  // namespace heddle::spirv::compiler
