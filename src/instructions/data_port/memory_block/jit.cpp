// SPDX-License-Identifier: MIT
// Oword blocks, compiled: the same results as reference.cpp.
#include "instructions/data_port/jit_memory.hpp"

namespace heddle::instructions::memory_block {
namespace {

using namespace jit_memory;

template <bool Write, unsigned Unit>
bool owords(CodegenContext& e) {
  Builder& b = e.b();
  const Operand *surface = e.of_kind(isa::OperandKind::Surface), *offset = e.named("offset"),
                *data = e.named(Write ? "src" : "dst");
  MemoryBytes target;
  if (surface == nullptr || offset == nullptr || data == nullptr || data->null) return false;
  Value at = scalar(e, *offset);
  if (!at || !target_of(e, *surface, target)) return false;
  if (Unit == 16) {
    // Offsets that leave 32 bits are beyond every buffer.
    const Value high = b.binary(Binary::LShr, at, e.number(28));
    at = b.select(b.compare(Compare::Eq, high, e.number(0)), b.binary(Binary::Shl, at, e.number(4)),
                  e.number(0xffffffffu));
  } else {
    at = b.binary(Binary::And, at, e.number(~3u));
  }
  if (surface->id == 0) at = b.binary(Binary::And, at, e.number(~machine::kValidLocalPointer & 0xffffffffu));
  return transfer_block(e, target, at, 16u << std::min<std::uint64_t>(e.integer("size"), 4), *data, Write);
}

constexpr JitHook kHooks[] = {
    {"oword_ld", owords<false, 16>}, {"oword_st", owords<true, 16>}, {"oword_ld_unaligned", owords<false, 1>}};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::memory_block
