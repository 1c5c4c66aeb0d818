// SPDX-License-Identifier: MIT
// Scattered reads and writes of buffers and shared local memory, compiled: the same results as reference.cpp.
#include "instructions/data_port/jit_memory.hpp"

namespace heddle::instructions::memory_scattered {
namespace {

using namespace jit_memory;

bool run(CodegenContext& e, jit_memory::MemoryMessage m, unsigned unit, std::string_view data) {
  Builder& b = e.b();
  const Operand* surface = e.of_kind(isa::OperandKind::Surface);
  const Operand *offsets = e.named("offsets"), *global = e.named("offset");
  m.data = e.named(data);
  MemoryBytes target;
  if (surface == nullptr || offsets == nullptr || m.data == nullptr || m.data->null) return false;
  m.offsets = e.read_raw(*offsets, 0, 4, e.lanes());
  if (!m.offsets) return false;
  if (global != nullptr) {
    const Value base = scalar(e, *global);
    if (!base) return false;
    m.offsets = b.binary(Binary::Add, m.offsets, b.splat(base, e.lanes()));
  }
  if (unit != 1) m.offsets = b.binary(Binary::Mul, m.offsets, e.lanes_of(unit, Element::I32));
  // The mark of a local pointer (machine::kValidLocalPointer).
  if (surface->id == 0)
    m.offsets = b.binary(Binary::And, m.offsets, e.lanes_of(~machine::kValidLocalPointer & 0xffffffffu, Element::I32));
  return target_of(e, *surface, target) && transfer(e, target, m);
}

template <bool Write>
bool legacy(CodegenContext& e) {
  const unsigned bytes = 1u << (e.integer("size") & 3u);
  return run(e, {.bytes = bytes, .element = std::max(bytes, 4u), .aligned = false, .write = Write}, bytes,
             Write ? "src" : "dst");
}

template <bool Write>
bool scaled(CodegenContext& e) {
  const unsigned bytes = 1u << (e.integer("num") & 3u);
  return run(e, {.bytes = bytes, .element = std::max(bytes, 4u), .aligned = false, .write = Write}, 1,
             Write ? "src" : "dst");
}

template <bool Write>
bool four(CodegenContext& e) {
  const auto mask = static_cast<unsigned>(e.integer("mask")) & 15u;
  return mask != 0 && run(e, {.components = 4, .mask = mask, .write = Write}, 1, Write ? "src" : "dst");
}

template <bool Write>
bool qwords(CodegenContext& e) {
  return run(e, {.components = 1u << (e.integer("num") & 3u), .bytes = 8, .element = 8, .write = Write}, 1,
             Write ? "src" : "dst");
}

constexpr JitHook kHooks[] = {
    {"gather", legacy<false>},        {"scatter", legacy<true>},       {"gather_scaled", scaled<false>},
    {"scatter_scaled", scaled<true>}, {"gather4_scaled", four<false>}, {"scatter4_scaled", four<true>},
    {"qw_gather", qwords<false>},     {"qw_scatter", qwords<true>},
};

}  // namespace

std::span<const JitHook> jit() { return kHooks; }

}  // namespace heddle::instructions::memory_scattered
