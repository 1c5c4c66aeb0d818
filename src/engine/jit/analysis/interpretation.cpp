// SPDX-License-Identifier: MIT
#include "engine/jit/analysis/interpretation.hpp"

#include <algorithm>

#include "engine/jit/analysis/choice_loops.hpp"
#include "isa/description.hpp"

namespace heddle::engine::jit {
namespace {

/// Whether others may see what the instruction did, or wait for it.
bool is_seen(const machine::Decoded& d) {
  const isa::Traits& traits = d.description->traits;
  if (traits.flow == isa::FlowKind::Barrier || traits.target_write) return true;
  return !traits.private_effects && !traits.only_reads;
}

/// The stores to memory that the thread has for itself.
class OwnStores {
 public:
  OwnStores(const machine::PreparedObject& object, const machine::Bindings& slots, std::span<const std::uint32_t> own)
      : object_(object), slots_(slots), own_(own) {
    alone_ = std::ranges::all_of(object.code, [&](const machine::Decoded& d) {
      return d.description->traits.operation != isa::ValueOperation::StateMove && (stores(d) || !reaches(d));
    });
  }
  [[nodiscard]] bool has(const machine::Decoded& d) const { return alone_ && stores(d) && reaches(d); }

 private:
  [[nodiscard]] static bool stores(const machine::Decoded& d) { return d.description->word.starts_with("scatter"); }

  [[nodiscard]] bool reaches(const machine::Decoded& d) const {
    for (unsigned o = 0; o < d.operand_count; ++o) {
      const machine::Operand& operand = object_.operands[d.first_operand + o];
      if (operand.kind != isa::OperandKind::Surface) continue;
      const auto variable = slots_.surface_variables.find(operand.id);
      if (variable == slots_.surface_variables.end()) continue;
      if (std::ranges::any_of(variable->second,
                              [&](std::uint32_t index) { return std::ranges::find(own_, index) != own_.end(); }))
        return true;
    }
    return false;
  }

  const machine::PreparedObject& object_;
  const machine::Bindings& slots_;
  std::span<const std::uint32_t> own_;
  bool alone_ = false;
};

bool is_reached(const FlowNode& node) { return node.routine != 0xffffffffu; }

}  // namespace

Interpretation interpretation_of(const machine::PreparedObject& object, const ControlFlowGraph& graph,
                                 const machine::Bindings& slots, std::span<const std::uint32_t> own) {
  const std::vector<FlowNode>& nodes = graph.nodes;
  const std::uint32_t last = last_branch_back(object, graph);
  if (last == 0) return graph.entries.size() <= 1 ? Interpretation::ToTheEnd : Interpretation::Never;
  if (graph.entries.size() > 1 || graph.has_barrier || graph.has_signal) return Interpretation::Never;
  // Lanes are at different places, those with the lowest program counter first: whatever stands at or before the last
  // branch back may run while other lanes still loop.
  const OwnStores stores(object, slots, own);
  for (std::uint32_t at = 0; at <= last; ++at)
    if (is_reached(nodes[at]) && is_seen(object.code[at]) && !stores.has(object.code[at])) return Interpretation::Never;
  return Interpretation::Restarting;
}

std::uint64_t steps_worth_compiling(const InterpretedSteps& of) {
  // Nanoseconds, measured. Of compiling: the compiler's opening and what each function costs, an instruction, a
  // message.
  constexpr std::uint64_t kFunction = 1'500'000, kInstruction = 18'000, kMessage = 350'000;
  // Of interpreting, 16 lanes: by the reference functions, the message in the vector functions; and in plain steps.
  constexpr std::uint64_t kStep = 75, kMessageStep = 2'300, kPlainStep = 12, kPlainMessage = 200;
  const std::uint64_t all = std::max<std::uint64_t>(1, of.instructions), messages = std::min(all, of.messages);
  const std::uint64_t plain = std::min(all - messages, of.plain), fast = std::min(messages, of.plain_messages);
  const std::uint64_t compiling = kFunction + kInstruction * all + kMessage * messages;
  const std::uint64_t once =
      kStep * (all - messages - plain) + kPlainStep * plain + kMessageStep * (messages - fast) + kPlainMessage * fast;
  return compiling * all / once;
}

}  // namespace heddle::engine::jit
