// SPDX-License-Identifier: MIT
// Atomic operations on buffers, 64-bit addresses and texels.
#include <algorithm>

#include <fmt/format.h>

#include "instructions/data_port/memory.hpp"
#include "instructions/data_port/typed.hpp"
#include "instructions/reference.hpp"

namespace heddle::instructions::atomic {
namespace {

using machine::AtomicOp;
using machine::ExecutionContext;
using machine::Lanes;

unsigned width(const ExecutionContext& s) { return s.integer("w64") != 0 ? 8 : s.integer("w16") != 0 ? 2 : 4; }

std::optional<AtomicOp> operation(ExecutionContext& s) {
  const std::uint64_t op = s.integer("op");
  if (op <= 0xd || (op >= 0x10 && op <= 0x14)) return static_cast<AtomicOp>(op);
  s.refuse(s.named("op"), "visa-bin-subop", fmt::format("atomic operation {} does not exist", op));
  return std::nullopt;
}

void svm(ExecutionContext& s) {
  if (const auto op = operation(s))
    run_atomics(s, machine::flat_memory(), *op, width(s), lane_addresses(s, *s.named("addresses"), 8, 0),
                *s.named("src0"), *s.named("src1"), *s.named("dst"));
}

void dword(ExecutionContext& s) {
  const auto op = operation(s);
  if (!op) return;
  if (const auto target = machine::target_of(s, *operand_of_kind(s, isa::OperandKind::Surface)))
    run_atomics(s, *target, *op, width(s), lane_addresses(s, *s.named("offsets"), 4, 0), *s.named("src0"),
                *s.named("src1"), *s.named("dst"));
}

void typed(ExecutionContext& s) {
  const auto op = operation(s);
  image::Surface* surface = op ? typed_surface(s) : nullptr;
  if (surface == nullptr) return;
  run_typed_atomics(s, *surface, *op, width(s), {s.named("u"), s.named("v"), s.named("r"), s.named("lod")},
                    *s.named("src0"), *s.named("src1"), *s.named("dst"));
}

constexpr ReferenceHook kHooks[] = {{"svm_atomic", svm}, {"dword_atomic", dword}, {"typed_atomic", typed}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::atomic
