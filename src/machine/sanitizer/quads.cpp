// SPDX-License-Identifier: MIT
// Rules: run-derivative-undefined, run-undefined-register.
#include "machine/sanitizer/quads.hpp"

#include <algorithm>
#include <charconv>

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

namespace {

/// "16 a b" (isa::kForgetRemark).
void forget(Thread& thread, std::string_view text) {
  const PreparedObject& object = thread.object();
  const std::uint32_t active = thread.flow().active();
  unsigned lanes = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), lanes);
  if (failed != std::errc() || lanes == 0) return;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view name = text.substr(0, text.find(' '));
    text.remove_prefix(name.size());
    const auto& variables = object.object->variables;
    const auto found = std::ranges::find(variables, name, &isa::GeneralVariable::name);
    if (found == variables.end()) continue;
    const auto id = isa::kFirstVariable + static_cast<std::uint32_t>(found - variables.begin());
    const VariablePlacement* place = object.layout.place(id);
    const unsigned bytes = isa::type_bytes(found->type);
    if (place == nullptr) continue;
    for (std::uint32_t n = 0, at = place->begin; n < found->elements && at + bytes <= place->root_end; ++n, at += bytes)
      if ((active >> n % lanes & 1u) != 0) thread.registers().forget(at, bytes);
  }
}

}  // namespace

std::uint32_t written_lanes(ExecutionContext& context) {
  const Operand& from = context.source(0);
  std::uint32_t lanes = ~0u;
  if (from.kind != isa::OperandKind::General || from.null || !from.in_bounds) return lanes;
  const Operand& to = context.destination();
  const bool known = to.kind == isa::OperandKind::General && !to.null && to.in_bounds;
  for (unsigned k = 0; k < context.lanes(); ++k) {
    if (context.registers().defined(from.base + from.lane[k], from.size)) continue;
    lanes &= ~(1u << k);
    if (known && context.is_enabled(k)) context.registers().forget(to.base + to.lane[k], to.size);
  }
  return lanes;
}

void pass_remark(Thread& thread, const Decoded& remark, bool& carries) {
  const std::string_view text = isa::remark_of(*thread.object().object, *remark.instruction);
  const std::uint32_t active = thread.flow().active();
  if (text == isa::kDemoteRemark) thread.demote(active);
  if (text == isa::kStandInRemark) pass_stand_ins(thread);
  if (text == isa::kCarryRemark) carries = true;
  if (text == isa::kCarryEndRemark) carries = false;
  if (text.starts_with(isa::kForgetRemark) && text.size() > isa::kForgetRemark.size())
    forget(thread, text.substr(isa::kForgetRemark.size() + 1));
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
