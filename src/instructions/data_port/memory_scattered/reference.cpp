// SPDX-License-Identifier: MIT
// Scattered reads and writes of buffers and shared local memory.
#include "instructions/reference.hpp"
#include "instructions/data_port/memory.hpp"

namespace heddle::instructions::memory_scattered {
namespace {

using machine::ExecutionContext;
using machine::Lanes;
using machine::MemoryTarget;
using machine::Operand;

struct Access {
  MemoryTarget target;
  Lanes address{};
};

std::optional<Access> access_of(ExecutionContext& s, unsigned unit = 1) {
  const Operand* surface = nullptr;
  for (unsigned i = 0; i < s.operand_count() && surface == nullptr; ++i)
    if (s.operand(i).kind == isa::OperandKind::Surface) surface = &s.operand(i);
  if (surface == nullptr) return std::nullopt;
  const auto target = machine::target_of(s, *surface);
  if (!target) return std::nullopt;
  const Operand* global = s.named("offset");
  const std::uint64_t base = global != nullptr ? static_cast<std::uint32_t>(s.read_scalar(*global)) : 0;
  Access access{*target, lane_addresses(s, *s.named("offsets"), 4, base)};
  for (std::uint64_t& a : access.address) a = a * unit & 0xffffffffu;
  return access;
}

// gather, scatter: offsets in elements of 1, 2 or 4 bytes.
void gather(ExecutionContext& s) {
  const unsigned bytes = 1u << (s.integer("size") & 3u);
  if (const auto access = access_of(s, bytes)) load_bytes(s, access->target, access->address, bytes, *s.named("dst"));
}
void scatter(ExecutionContext& s) {
  const unsigned bytes = 1u << (s.integer("size") & 3u);
  if (const auto access = access_of(s, bytes)) store_bytes(s, access->target, access->address, bytes, *s.named("src"));
}

// gather_scaled, scatter_scaled: `num` bytes at a byte offset.
void gather_scaled(ExecutionContext& s) {
  if (const auto access = access_of(s))
    load_bytes(s, access->target, access->address, 1u << (s.integer("num") & 3u), *s.named("dst"));
}
void scatter_scaled(ExecutionContext& s) {
  if (const auto access = access_of(s))
    store_bytes(s, access->target, access->address, 1u << (s.integer("num") & 3u), *s.named("src"));
}

// gather4_scaled, scatter4_scaled: the dwords of the channel mask at a byte offset.
void gather4_scaled(ExecutionContext& s) {
  if (const auto access = access_of(s))
    load_components(s, access->target, access->address, static_cast<unsigned>(s.integer("mask")) & 15u, 4,
                    *s.named("dst"));
}
void scatter4_scaled(ExecutionContext& s) {
  if (const auto access = access_of(s))
    store_components(s, access->target, access->address, static_cast<unsigned>(s.integer("mask")) & 15u, 4,
                     *s.named("src"));
}

unsigned block_mask(const ExecutionContext& s) { return (1u << (1u << (s.integer("num") & 3u))) - 1; }

void qw_gather(ExecutionContext& s) {
  if (const auto access = access_of(s))
    load_components(s, access->target, access->address, block_mask(s), 8, *s.named("dst"));
}
void qw_scatter(ExecutionContext& s) {
  if (const auto access = access_of(s))
    store_components(s, access->target, access->address, block_mask(s), 8, *s.named("src"));
}

constexpr ReferenceHook kHooks[] = {
    {"gather", gather},
    {"scatter", scatter},
    {"gather_scaled", gather_scaled},
    {"scatter_scaled", scatter_scaled},
    {"gather4_scaled", gather4_scaled},
    {"scatter4_scaled", scatter4_scaled},
    {"qw_gather", qw_gather},
    {"qw_scatter", qw_scatter},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::memory_scattered
