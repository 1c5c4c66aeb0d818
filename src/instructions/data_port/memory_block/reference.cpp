// SPDX-License-Identifier: MIT
// Block reads and writes: owords of buffers, rectangles of 2D surfaces.
#include <algorithm>

#include <fmt/format.h>

#include "instructions/data_port/memory.hpp"
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::memory_block {
namespace {

using machine::ExecutionContext;
using machine::Operand;

void owords(ExecutionContext& s, bool write, unsigned unit) {
  const auto target = machine::target_of(s, *operand_of_kind(s, isa::OperandKind::Surface));
  if (!target) return;
  std::uint64_t address =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(s.read_scalar(*s.named("offset")))) * unit;
  if (unit == 1 && address % 4 != 0) {
    s.check(s.named("offset"), "run-misaligned", fmt::format("offset {:#x} is not a multiple of 4", address));
    address &= ~std::uint64_t{3};
  }
  const unsigned bytes = 16u << std::min<std::uint64_t>(s.integer("size"), 4);
  if (write)
    store_block(s, *target, address, bytes, *s.named("src"));
  else
    load_block(s, *target, address, bytes, *s.named("dst"));
}

/// Plane n of a surface is the one of the binding table's n-th entry behind it, as the finalizer has it.
const image::Surface* plane_of(ExecutionContext& s, std::uint32_t plane) {
  const Operand* operand = operand_of_kind(s, isa::OperandKind::Surface);
  if (plane == 0 || operand == nullptr) return surface_of(s);
  const auto first = s.surface_index(*operand);
  return first ? s.surface_at(*first + plane, operand) : nullptr;
}

void oword_ld(ExecutionContext& s) { owords(s, false, 16); }
void oword_st(ExecutionContext& s) { owords(s, true, 16); }
void oword_ld_unaligned(ExecutionContext& s) { owords(s, false, 1); }

// Modifiers 2 and 4 are the top field, 3 and 5 the bottom field.
void media(ExecutionContext& s, bool write) {
  const image::Surface* surface = plane_of(s, static_cast<std::uint32_t>(s.integer("plane")));
  if (surface == nullptr) return;
  const std::uint64_t modifier = s.integer("modifier");
  MediaBlock block;
  block.x = static_cast<std::int32_t>(s.read_scalar(*s.named("x")));
  block.y = static_cast<std::int32_t>(s.read_scalar(*s.named("y")));
  block.width = static_cast<unsigned>(std::min<std::uint64_t>(s.integer("width"), 64));
  block.height = static_cast<unsigned>(std::min<std::uint64_t>(s.integer("height"), 64));
  block.field = modifier >= 2 && modifier <= 5;
  block.bottom = modifier == 3 || modifier == 5;
  transfer_media_block(s, *surface, block, *s.named(write ? "src" : "dst"), write);
}

void media_ld(ExecutionContext& s) { media(s, false); }
void media_st(ExecutionContext& s) { media(s, true); }

constexpr ReferenceHook kHooks[] = {
    {"oword_ld", oword_ld}, {"oword_st", oword_st}, {"oword_ld_unaligned", oword_ld_unaligned},
    {"media_ld", media_ld}, {"media_st", media_st},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::memory_block
