// SPDX-License-Identifier: MIT
// Reads and writes at 64-bit addresses.
#include "instructions/reference.hpp"
#include "instructions/data_port/memory.hpp"

namespace heddle::instructions::memory_svm {
namespace {

using machine::ExecutionContext;
using machine::Lanes;

unsigned owords(const ExecutionContext& s) { return 16u << std::min<std::uint64_t>(s.integer("size"), 4); }

void block_ld(ExecutionContext& s) {
  load_block(s, machine::flat_memory(), static_cast<std::uint64_t>(s.read_scalar(*s.named("address"))), owords(s),
             *s.named("dst"));
}
void block_st(ExecutionContext& s) {
  store_block(s, machine::flat_memory(), static_cast<std::uint64_t>(s.read_scalar(*s.named("address"))), owords(s),
              *s.named("src"));
}

/// Blocks of 4 or 8 bytes are components; blocks of one byte lie together in elements of at least a dword.
void gather(ExecutionContext& s) {
  const Lanes address = lane_addresses(s, *s.named("addresses"), 8, 0);
  const unsigned blocks = 1u << (s.integer("num") & 3u);
  if (s.integer("block") == 0)
    load_bytes(s, machine::flat_memory(), address, blocks, *s.named("dst"));
  else
    load_components(s, machine::flat_memory(), address, (1u << blocks) - 1, s.integer("block") == 1 ? 4 : 8,
                    *s.named("dst"));
}
void scatter(ExecutionContext& s) {
  const Lanes address = lane_addresses(s, *s.named("addresses"), 8, 0);
  const unsigned blocks = 1u << (s.integer("num") & 3u);
  if (s.integer("block") == 0)
    store_bytes(s, machine::flat_memory(), address, blocks, *s.named("src"));
  else
    store_components(s, machine::flat_memory(), address, (1u << blocks) - 1, s.integer("block") == 1 ? 4 : 8,
                     *s.named("src"));
}

Lanes scaled_addresses(ExecutionContext& s) {
  return lane_addresses(s, *s.named("offsets"), 8, static_cast<std::uint64_t>(s.read_scalar(*s.named("address"))));
}
void gather4(ExecutionContext& s) {
  load_components(s, machine::flat_memory(), scaled_addresses(s), static_cast<unsigned>(s.integer("mask")) & 15u, 4,
                  *s.named("dst"));
}
void scatter4(ExecutionContext& s) {
  store_components(s, machine::flat_memory(), scaled_addresses(s), static_cast<unsigned>(s.integer("mask")) & 15u, 4,
                   *s.named("src"));
}

constexpr ReferenceHook kHooks[] = {
    {"svm_block_ld", block_ld}, {"svm_block_st", block_st},     {"svm_gather", gather},
    {"svm_scatter", scatter},   {"svm_gather4scaled", gather4}, {"svm_scatter4scaled", scatter4},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::memory_svm
