// SPDX-License-Identifier: MIT
// LSC loads, stores and atomics of buffers, shared and private memory and 64-bit addresses, compiled: the same results
// as reference.cpp.
#include "instructions/data_port/jit_memory.hpp"
#include "instructions/data_port/jit_typed.hpp"
#include "instructions/data_port/lsc_transfer.hpp"

namespace heddle::instructions::lsc {
namespace {

using namespace jit_memory;

constexpr std::uint64_t kFlat = 1, kSs = 3, kBti = 4, kSlm = 3, kWords = 2, kLongs = 3;

bool transposed(const CodegenContext& e) { return e.integer("order") == 2; }

/// 8 and 16 bits of memory in dwords, dwords, qwords.
bool size_of(const CodegenContext& e, jit_memory::MemoryMessage& m) {
  const std::uint64_t code = e.integer("data_size");
  if (code < 3 || code > 6) return false;
  const DataSize size = data_size(code);
  m.bytes = size.memory;
  m.element = size.element;
  return true;
}

/// Not for 64-bit addresses.
bool target_of(CodegenContext& e, MemoryBytes& target) {
  if (e.integer("sfid") == kSlm) {
    target = target_of_index(e, e.number(machine::kBtiSlm));
    return true;
  }
  const Operand* surface = e.named("surface");
  if (surface == nullptr) return false;
  if (e.integer("addr_type") == kSs) {  // 10.6: scratch belongs to the thread whatever that number is
    target = target_of_index(e, e.number(machine::kBtiScratch));
    return true;
  }
  if (e.integer("addr_type") != kBti || surface->kind == isa::OperandKind::State) return false;
  if (surface->kind == isa::OperandKind::Surface) return jit_memory::target_of(e, *surface, target);
  const Value index = scalar(e, *surface);
  if (!index) return false;
  target = target_of_index(e, index);
  return true;
}

/// The addresses of `count` lanes: of 32 bits, or of 64 for the flat model.
Value addresses(CodegenContext& e, unsigned count, bool& flat) {
  Builder& b = e.b();
  const Operand *address = e.named("src0"), *offset = e.named("imm_offset");
  flat = e.integer("sfid") != kSlm && e.integer("addr_type") == kFlat;
  const Operand* surface = e.named("surface");
  const bool based = flat && surface != nullptr && !surface->null &&
                     (surface->kind != isa::OperandKind::Immediate || surface->value != 0);
  if (address == nullptr || based || e.integer("addr_size") != (flat ? kLongs : kWords)) return {};
  Value out = e.read_raw(*address, 0, flat ? 8 : 4, count);
  if (!out) return {};
  const machine::jit::VectorType type{flat ? Element::I64 : Element::I32, count};
  const auto constant = [&](std::int64_t value) { return b.constant(type, static_cast<std::uint64_t>(value)); };
  if (const auto scale = static_cast<std::int64_t>(e.integer("scale")); scale > 1)
    out = b.binary(Binary::Mul, out, constant(scale));
  if (offset != nullptr && offset->value != 0)
    out = b.binary(Binary::Add, out, constant(static_cast<std::int32_t>(offset->value)));
  if (e.integer("sfid") == kSlm)  // the mark of a local pointer
    out = b.binary(Binary::And, out, constant(~std::int64_t{machine::kValidLocalPointer}));
  return out;
}

/// The elements of the one lane lie together.
bool access_block(CodegenContext& e, const jit_memory::MemoryMessage& m, unsigned count) {
  if (m.bytes != m.element || m.bytes * count > 256 || e.lanes() != 1) return false;
  Builder& b = e.b();
  e.set_lane_wise(false);
  bool flat = false;
  Value address = addresses(e, 1, flat);
  if (!address) return false;
  address = b.extract(address, 0);
  address = b.binary(Binary::And, address, b.constant({flat ? Element::I64 : Element::I32, 0}, ~std::uint64_t{3}));
  MemoryBytes target;
  if (!flat && !target_of(e, target)) return false;
  Block done;
  if (!e.always()) {
    const Block run = b.block("lane");
    done = b.block("done");
    b.branch(b.compare(Compare::Ne, e.enabled_bits(), e.number(0)), run, done);
    b.at(run);
  }
  if (flat) target = flat_block_target(e, address, m.bytes * count);
  const bool good = transfer_block(e, target, address, m.bytes * count, *m.data, m.write);
  if (!done) return good;
  if (!good) e.function().call_reference();
  b.jump(done);
  b.at(done);
  return true;
}

template <bool Write>
bool access(CodegenContext& e) {
  jit_memory::MemoryMessage m;
  m.write = Write;
  m.data = e.named(Write ? "src1" : "dst");
  const bool quad = is_quad(op_of(*e.instruction().description));
  if (m.data != nullptr && m.data->null && !Write) return true;  // LD-11: a prefetch
  if (m.data == nullptr || m.data->null || !size_of(e, m)) return false;
  const std::uint64_t elements = e.integer("elems");
  if (!quad && transposed(e)) return access_block(e, m, vector_length(elements));
  m.components = quad ? 4 : vector_length(elements);
  if (quad) m.mask = static_cast<unsigned>(elements) & 15u;
  if (m.components > 8 || m.mask == 0) return false;
  bool flat = false;
  m.offsets = addresses(e, e.lanes(), flat);
  if (!m.offsets) return false;
  if (flat) return transfer_flat(e, m);
  MemoryBytes target;
  return target_of(e, target) && transfer(e, target, m);
}

bool atomic(CodegenContext& e) {
  const auto op = atomic_op(op_of(*e.instruction().description));
  const Operand *first = e.named("src1"), *second = e.named("src2"), *dst = e.named("dst");
  if (e.named("u") != nullptr) return emit_typed_atomic(e);
  if (!op || first == nullptr || second == nullptr || dst == nullptr) return false;
  if (is_bf_atomic(op_of(*e.instruction().description))) return false;
  const DataSize size = data_size(e.integer("data_size"));
  const unsigned bytes = size.memory < 2 ? 4 : size.memory;
  // icas compares with src1 and stores src2.
  if (*op == machine::AtomicOp::CmpXchg) std::swap(first, second);
  bool flat = false;
  Value at = addresses(e, e.lanes(), flat);
  if (!at) return false;
  if (flat) return emit_flat_atomics(e, at, *op, bytes, *first, *second, *dst);
  MemoryBytes target;
  at = e.b().binary(Binary::And, at, e.lanes_of(~std::uint64_t{bytes - 1}, Element::I32));
  return target_of(e, target) && emit_atomics(e, target, at, *op, bytes, *first, *second, *dst);
}

constexpr JitHook kHooks[] = {
    {"lsc", atomic},
    {"lsc_read_state_info.tgm", nullptr},
    {"lsc_load", access<false>},
    {"lsc_load_quad", access<false>},
    {"lsc_store", access<true>},
    {"lsc_store_uncompressed", access<true>},
    {"lsc_store_quad", access<true>},
    {"lsc_store_quad.tgm", emit_typed_write},
    {"lsc_load_strided", nullptr},
    {"lsc_load_block2d", nullptr},
    {"lsc_store_strided", nullptr},
    {"lsc_store_block2d", nullptr},
    {"lsc_load_status", nullptr},
    {"lsc_load_quad.tgm", nullptr},
    {"lsc_load_block2d.tgm", nullptr},
    {"lsc_store_block2d.tgm", nullptr},
};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::lsc
