// SPDX-License-Identifier: MIT
// Atomic operations on buffers, shared memory, 64-bit addresses and texels, compiled: the same results as
// reference.cpp.
#include "instructions/data_port/jit_memory.hpp"
#include "instructions/data_port/jit_typed.hpp"

namespace heddle::instructions::atomic {
namespace {

using namespace jit_memory;

bool read(CodegenContext& e, machine::AtomicOp& op, unsigned& bytes) {
  const std::uint64_t code = e.integer("op");
  op = static_cast<machine::AtomicOp>(code);
  bytes = e.integer("w64") != 0 ? 8 : e.integer("w16") != 0 ? 2 : 4;
  return (code <= 0xd || (code >= 0x10 && code <= 0x14)) && e.named("src0") != nullptr && e.named("src1") != nullptr &&
         e.named("dst") != nullptr;
}

bool dword(CodegenContext& e) {
  machine::AtomicOp op{};
  unsigned bytes = 4;
  const Operand *surface = e.of_kind(isa::OperandKind::Surface), *offsets = e.named("offsets");
  MemoryBytes target;
  if (!read(e, op, bytes) || surface == nullptr || offsets == nullptr) return false;
  const Value at = e.read_raw(*offsets, 0, 4, e.lanes());
  // The mark of a local pointer (machine::kValidLocalPointer), and alignment.
  const std::uint32_t keep = ~(bytes - 1) & (surface->id == 0 ? ~machine::kValidLocalPointer : ~0u);
  return at && target_of(e, *surface, target) &&
         emit_atomics(e, target, e.b().binary(Binary::And, at, e.lanes_of(keep, Element::I32)), op, bytes,
                      *e.named("src0"), *e.named("src1"), *e.named("dst"));
}

bool svm(CodegenContext& e) {
  machine::AtomicOp op{};
  unsigned bytes = 4;
  const Operand* addresses = e.named("addresses");
  if (!read(e, op, bytes) || addresses == nullptr) return false;
  const Value at = e.read_raw(*addresses, 0, 8, e.lanes());
  return at && emit_flat_atomics(e, at, op, bytes, *e.named("src0"), *e.named("src1"), *e.named("dst"));
}

constexpr JitHook kHooks[] = {{"svm_atomic", svm}, {"dword_atomic", dword}, {"typed_atomic", emit_typed_atomic}};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::atomic
