// LSC loads and stores of buffers and shared local memory, compiled: the same results as reference.cpp.
#include "instructions/jit_memory.hpp"

namespace heddle::instructions::lsc {
namespace {

using namespace jit_memory;

constexpr std::uint64_t kBti = 4, kSlm = 3;

/// 8 and 16 bits of memory in dwords, dwords, qwords; components of 32 and 64 bits.
bool shape_of(const Emit& e, jit_memory::Message& m) {
  constexpr unsigned kLengths[] = {1, 1, 2, 3, 4, 8};
  const std::uint64_t elems = e.integer("elems");
  if (e.integer("order") == 2 || elems >= std::size(kLengths)) return false;
  m.components = kLengths[elems];
  switch (e.integer("data_size")) {
    case 3:
      m.bytes = m.element = 4;
      return true;
    case 4:
      m.bytes = m.element = 8;
      return true;
    case 5:
      m.bytes = 1, m.element = 4;
      return m.components == 1;
    case 6:
      m.bytes = 2, m.element = 4;
      return m.components == 1;
    default:
      return false;
  }
}

template <bool Write>
bool access(Emit& e) {
  Builder& b = e.b();
  jit_memory::Message m;
  m.write = Write;
  m.data = e.named(Write ? "src1" : "dst");
  const Operand *address = e.named("src0"), *surface = e.named("surface"), *offset = e.named("imm_offset");
  if (m.data == nullptr || m.data->null || address == nullptr || surface == nullptr || !shape_of(e, m) ||
      e.integer("addr_size") != 2 || e.integer("scale") > 1)
    return false;
  Target target;
  if (e.integer("sfid") == kSlm) {
    target = target_of_index(e, e.number(machine::kBtiSlm));
  } else if (e.integer("addr_type") == kBti) {
    if (surface->kind == isa::OperandKind::Surface) {
      if (!target_of(e, *surface, target)) return false;
    } else if (surface->kind == isa::OperandKind::State) {
      return false;
    } else {
      const Value index = scalar(e, *surface);
      if (!index) return false;
      target = target_of_index(e, index);
    }
  } else {
    return false;
  }
  m.offsets = e.read_raw(*address, 0, 4, e.lanes());
  if (!m.offsets) return false;
  if (offset != nullptr && offset->value != 0)
    m.offsets = b.binary(Binary::Add, m.offsets, e.lanes_of(static_cast<std::uint32_t>(offset->value), Element::I32));
  // The mark of a local pointer (machine::kValidLocalPointer).
  if (e.integer("sfid") == kSlm)
    m.offsets = b.binary(Binary::And, m.offsets, e.lanes_of(~machine::kValidLocalPointer & 0xffffffffu, Element::I32));
  return transfer(e, target, m);
}

constexpr JitHook kHooks[] = {{"lsc_load", access<false>}, {"lsc_store", access<true>}};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::lsc
