// Reads and writes at 64-bit addresses (facts visa 7.3).
#include "instructions/reference.hpp"
#include "instructions/memory.hpp"

namespace heddle::instructions::memory_svm {
namespace {

using machine::Lanes;
using machine::Step;

unsigned owords(const Step& s) { return 16u << std::min<std::uint64_t>(s.integer("size"), 4); }

void block_ld(Step& s) {
  load_block(s, machine::flat_memory(), static_cast<std::uint64_t>(s.read_scalar(*s.named("address"))), owords(s),
             *s.named("dst"));
}
void block_st(Step& s) {
  store_block(s, machine::flat_memory(), static_cast<std::uint64_t>(s.read_scalar(*s.named("address"))), owords(s),
              *s.named("src"));
}

/// Blocks of 4 or 8 bytes are components; blocks of one byte lie together in elements of at least a dword.
void gather(Step& s) {
  const Lanes address = lane_addresses(s, *s.named("addresses"), 8, 0);
  const unsigned blocks = 1u << (s.integer("num") & 3u);
  if (s.integer("block") == 0)
    load_bytes(s, machine::flat_memory(), address, blocks, *s.named("dst"));
  else
    load_components(s, machine::flat_memory(), address, (1u << blocks) - 1, s.integer("block") == 1 ? 4 : 8,
                    *s.named("dst"));
}
void scatter(Step& s) {
  const Lanes address = lane_addresses(s, *s.named("addresses"), 8, 0);
  const unsigned blocks = 1u << (s.integer("num") & 3u);
  if (s.integer("block") == 0)
    store_bytes(s, machine::flat_memory(), address, blocks, *s.named("src"));
  else
    store_components(s, machine::flat_memory(), address, (1u << blocks) - 1, s.integer("block") == 1 ? 4 : 8,
                     *s.named("src"));
}

Lanes scaled_addresses(Step& s) {
  return lane_addresses(s, *s.named("offsets"), 8, static_cast<std::uint64_t>(s.read_scalar(*s.named("address"))));
}
void gather4(Step& s) {
  load_components(s, machine::flat_memory(), scaled_addresses(s), static_cast<unsigned>(s.integer("mask")) & 15u, 4,
                  *s.named("dst"));
}
void scatter4(Step& s) {
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
