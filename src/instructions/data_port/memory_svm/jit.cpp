// SPDX-License-Identifier: MIT
// Reads and writes at 64-bit addresses, compiled: the same results as reference.cpp.
#include "instructions/data_port/jit_memory.hpp"

namespace heddle::instructions::memory_svm {
namespace {

using namespace jit_memory;

bool run(CodegenContext& e, jit_memory::MemoryMessage m, const Operand* addresses, const Operand* global) {
  Builder& b = e.b();
  if (addresses == nullptr || m.data == nullptr || m.data->null) return false;
  m.offsets = e.read_raw(*addresses, 0, 8, e.lanes());
  if (!m.offsets) return false;
  if (global != nullptr) {
    const Value base = scalar(e, *global, 8);
    if (!base) return false;
    m.offsets = b.binary(Binary::Add, m.offsets, b.splat(base, e.lanes()));
  }
  return transfer_flat(e, m);
}

template <bool Write>
bool blocks(CodegenContext& e) {
  const unsigned count = 1u << (e.integer("num") & 3u);
  const std::uint64_t block = e.integer("block");
  jit_memory::MemoryMessage m{.write = Write, .data = e.named(Write ? "src" : "dst")};
  if (block == 0) {
    m.bytes = count;
    m.element = std::max(count, 4u);
    m.aligned = false;
  } else {
    m.components = count;
    m.bytes = m.element = block == 1 ? 4 : 8;
  }
  return run(e, m, e.named("addresses"), nullptr);
}

template <bool Write>
bool four(CodegenContext& e) {
  const auto mask = static_cast<unsigned>(e.integer("mask")) & 15u;
  const Operand* address = e.named("address");
  return mask != 0 && address != nullptr &&
         run(e, {.components = 4, .mask = mask, .write = Write, .data = e.named(Write ? "src" : "dst")},
             e.named("offsets"), address);
}

template <bool Write>
bool owords(CodegenContext& e) {
  const Operand *address = e.named("address"), *data = e.named(Write ? "src" : "dst");
  if (address == nullptr || data == nullptr || data->null) return false;
  Value at = scalar(e, *address, 8);
  const unsigned bytes = 16u << std::min<std::uint64_t>(e.integer("size"), 4);
  if (!at) return false;
  const MemoryBytes target = flat_block_target(e, at, bytes);
  return transfer_block(e, target, at, bytes, *data, Write);
}

constexpr JitHook kHooks[] = {
    {"svm_block_ld", owords<false>}, {"svm_block_st", owords<true>},     {"svm_gather", blocks<false>},
    {"svm_scatter", blocks<true>},   {"svm_gather4scaled", four<false>}, {"svm_scatter4scaled", four<true>},
};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::memory_svm
