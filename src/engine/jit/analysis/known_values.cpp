// SPDX-License-Identifier: MIT
#include "engine/jit/analysis/known_values.hpp"

#include "instructions/jit_known_values.hpp"

namespace heddle::engine::jit {
namespace {

using isa::FlowKind;
using machine::jit::KnownValues;

class Finder {
 public:
  Finder(const machine::PreparedObject& object, const machine::StateIndex& states, const ControlFlowGraph& graph)
      : object_(object), states_(states), graph_(graph), code_(object.code) {}

  void arrive(std::uint32_t i, const KnownValues& known) {
    if (i >= code_.size()) return;
    if (!map_.at[i]) {
      map_.at[i] = known;
    } else if (!map_.at[i]->meet(known)) {
      return;
    }
    open_.push_back(i);
  }

  /// Behind wait points where no lane waits, and out of the routine.
  void leave_toward_waits(std::uint32_t i, const KnownValues& known) {
    const std::uint32_t routine = node(i).routine;
    if (const std::uint32_t* next = graph_.next_wait(routine, i)) return arrive(*next, known);
    if (routine == 0) return;
    for (const std::uint32_t call : graph_.calls[routine]) arrive(call + 1, known);
  }

  KnownValueMap run(machine::jit::KnownValues initial) {
    map_.at.resize(code_.size());
    arrive(0, initial);
    map_.initial = std::move(initial);
    while (!open_.empty()) {
      std::uint32_t i = open_.back();
      open_.pop_back();
      if (node(i).wait) leave_toward_waits(i, *map_.at[i]);
      KnownValues known = *map_.at[i];
      for (bool first = true;; first = false) {
        if (i >= code_.size()) break;
        if (!first && node(i).leader) {
          arrive(i, known);
          break;
        }
        if (node(i).moves()) {
          spread(i, known);
          break;
        }
        instructions::transfer(known, object_, states_, code_[i]);
        ++i;
      }
    }
    return std::move(map_);
  }

  void spread(std::uint32_t i, const KnownValues& known) {
    const FlowNode& s = node(i);
    switch (s.kind) {
      case FlowKind::Goto:
      case FlowKind::Jump:
      case FlowKind::Switch:
        for (const std::uint32_t target : s.targets) arrive(target, known);
        if (!s.always || s.kind == FlowKind::Switch) arrive(i + 1, known);
        leave_toward_waits(i, known);
        break;
      case FlowKind::Call:
        arrive(s.targets[0], known);
        if (!s.always) arrive(i + 1, known);
        break;
      default:
        if (!s.ends) arrive(i + 1, known);
        leave_toward_waits(i, known);
        break;
    }
  }

 private:
  [[nodiscard]] const FlowNode& node(std::uint32_t i) const { return graph_.nodes[i]; }
  const machine::PreparedObject& object_;
  const machine::StateIndex& states_;
  const ControlFlowGraph& graph_;
  const std::vector<machine::Decoded>& code_;
  KnownValueMap map_;
  std::vector<std::uint32_t> open_;
};

KnownValues initial_known_values(const machine::PreparedObject& object, const machine::StateIndex& states,
                                 const machine::Bindings& bindings) {
  KnownValues known;
  known.control = machine::kInitialCr0;
  known.states.resize(states.size());
  const std::size_t elements = object.object->addresses.size() * machine::Registers::kAddressElements;
  known.address_roots.assign(elements, machine::kNoRoot);
  known.address_hints.assign(elements, machine::kNoRoot);
  constexpr std::array<std::uint32_t, isa::kFirstSurface> kIndices = {
      machine::kBtiSlm, 1, 2, machine::kBtiTss, machine::kBtiBindless, machine::kBtiScratch};
  for (std::uint32_t s = 0; s < isa::kFirstSurface; ++s) known.states[states.surface(s, 0)] = kIndices[s];
  for (const auto& [id, values] : bindings.surface_variables)
    for (std::uint32_t e = 0; e < values.size(); ++e)
      if (const std::uint32_t at = states.surface(id, e); at != machine::StateIndex::kNone)
        known.states[at] = values[e];
  for (const auto& [id, values] : bindings.sampler_variables)
    for (std::uint32_t e = 0; e < values.size(); ++e)
      if (const std::uint32_t at = states.sampler(id, e); at != machine::StateIndex::kNone)
        known.states[at] = values[e];
  return known;
}

}  // namespace

KnownValueMap find_known_values(const machine::PreparedObject& object, const machine::StateIndex& states,
                                const ControlFlowGraph& graph, const machine::Bindings& bindings) {
  return Finder(object, states, graph).run(initial_known_values(object, states, bindings));
}

}  // namespace heddle::engine::jit
