// SPDX-License-Identifier: MIT
// Rules: run-derivative-undefined, run-undefined-register.
#include "machine/sanitizer/quads.hpp"

#include "isa/quad_remark.hpp"
#include "isa/source_map.hpp"

namespace heddle::machine {

namespace {

/// To the instruction before the remark that ends them.
void pass_stand_ins(Thread& thread) {
  const PreparedObject& object = thread.object();
  const auto ends = [&](const Decoded& d) {
    return d.description->traits.flow == isa::FlowKind::Remark &&
           isa::remark_of(*object.object, *d.instruction) == isa::kStandInEndRemark;
  };
  while (thread.flow().pc() + 1 < object.code.size() && !ends(object.code[thread.flow().pc() + 1]))
    thread.flow().advance();
}

}  // namespace

std::uint32_t written_lanes(ExecutionContext& context) {
  const Operand& from = context.source(0);
  std::uint32_t lanes = ~0u;
  if (from.kind != isa::OperandKind::General || from.null || !from.in_bounds) return lanes;
  for (unsigned k = 0; k < context.lanes(); ++k)
    if (!context.registers().defined(from.base + from.lane[k], from.size)) lanes &= ~(1u << k);
  return lanes;
}

void pass_remark(Thread& thread, const Decoded& remark, bool& carries) {
  const std::string_view text = isa::remark_of(*thread.object().object, *remark.instruction);
  const std::uint32_t active = thread.flow().active();
  if (text == isa::kDemoteRemark) thread.demote(active);
  if (text == isa::kStandInRemark) pass_stand_ins(thread);
  if (text == isa::kCarryRemark) carries = true;
  if (text == isa::kCarryEndRemark) carries = false;
  if (text != isa::kQuadRemark) return;
  for (unsigned first = 0; first < 32; first += 4) {
    const std::uint32_t quad = active >> first & 15u;
    if (quad == 0 || quad == 15u) continue;
    ExecutionContext(thread, remark)
        .check(nullptr, "run-derivative-undefined",
               "a derivative, or an implicit level of detail, where other invocations of the quad do not get to: its "
               "value is undefined",
               first + static_cast<unsigned>(__builtin_ctz(quad)));
    return;
  }
}

}  // namespace heddle::machine
