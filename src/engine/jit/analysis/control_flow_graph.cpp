// SPDX-License-Identifier: MIT
#include "engine/jit/analysis/control_flow_graph.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "instructions/reference.hpp"

namespace heddle::engine::jit {

using isa::FlowKind;
using machine::Decoded;

bool FlowNode::moves() const {
  switch (kind) {
    case FlowKind::Goto:
    case FlowKind::Jump:
    case FlowKind::Switch:
    case FlowKind::Call:
    case FlowKind::Return:
    case FlowKind::FunctionReturn:
      return true;
    default:
      return false;
  }
}

std::uint32_t ControlFlowGraph::routine_at(std::uint32_t entry) const {
  return static_cast<std::uint32_t>(std::ranges::find(entries, entry) - entries.begin());
}

const std::uint32_t* ControlFlowGraph::next_wait(std::uint32_t routine, std::uint32_t at) const {
  const auto next = std::ranges::upper_bound(waits[routine], at);
  return next == waits[routine].end() ? nullptr : &*next;
}

namespace {

FlowNode node_of(const machine::PreparedObject& object, const Decoded& d, unsigned simd) {
  FlowNode s;
  s.kind = d.description->traits.flow;
  s.always = !d.predicate.present();
  s.uniform = s.always || d.lanes == 1;
  const std::uint32_t lanes = d.lanes >= 32 ? 0xffffffffu : (1u << d.lanes) - 1;
  const std::uint32_t all = simd >= 32 ? 0xffffffffu : (1u << simd) - 1;
  s.ends = s.always && (d.lanes == 1 || (all & ~(lanes << d.mask_offset)) == 0);
  for (unsigned i = 0; i < d.operand_count; ++i)
    if (object.operands[d.first_operand + i].kind == isa::OperandKind::Label)
      s.targets.push_back(object.operands[d.first_operand + i].id);
  return s;
}

/// Where execution may go on in the same routine.
std::vector<std::uint32_t> successors(const ControlFlowGraph& graph, std::uint32_t i) {
  const FlowNode& s = graph.nodes[i];
  std::vector<std::uint32_t> out;
  switch (s.kind) {
    case FlowKind::Goto:
    case FlowKind::Jump:
      out = s.targets;
      if (!s.always) out.push_back(i + 1);
      break;
    case FlowKind::Switch:
      out = s.targets;
      out.push_back(i + 1);
      break;
    case FlowKind::Return:
    case FlowKind::FunctionReturn:
      if (!s.ends) out.push_back(i + 1);
      break;
    default:
      out.push_back(i + 1);
      break;
  }
  return out;
}

void explore(ControlFlowGraph& graph, std::uint32_t routine) {
  std::vector<std::uint32_t> open{graph.entries[routine]};
  const auto count = static_cast<std::uint32_t>(graph.nodes.size());
  while (!open.empty() && graph.refusal.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    if (i >= count) continue;  // runs off the end: the thread ends
    FlowNode& s = graph.nodes[i];
    if (s.routine == routine) continue;
    if (s.routine != 0xffffffffu) {
      graph.refusal = "subroutines share code";
      return;
    }
    s.routine = routine;
    if (s.kind == FlowKind::FunctionCall) graph.refusal = "it calls functions";
    if (s.kind == FlowKind::Barrier) graph.has_barrier = true;
    if (s.kind == FlowKind::Call) {
      if (s.targets.size() != 1)
        graph.refusal = "a call has no label";
      else if (std::ranges::find(graph.entries, s.targets[0]) == graph.entries.end()) {
        graph.entries.push_back(s.targets[0]);
        graph.calls.emplace_back();
      }
      if (graph.refusal.empty()) graph.calls[graph.routine_at(s.targets[0])].push_back(i);
    }
    if ((s.kind == FlowKind::Goto || s.kind == FlowKind::Jump) && s.targets.size() != 1)
      graph.refusal = "a branch has no label";
    for (const std::uint32_t next : successors(graph, i)) open.push_back(next);
  }
}

bool recursive(const ControlFlowGraph& graph, std::uint32_t routine, std::vector<std::uint8_t>& state) {
  if (state[routine] == 1) return true;
  if (state[routine] == 2) return false;
  state[routine] = 1;
  for (const FlowNode& s : graph.nodes)
    if (s.routine == routine && s.kind == FlowKind::Call && recursive(graph, graph.routine_at(s.targets[0]), state))
      return true;
  state[routine] = 2;
  return false;
}

/// A uniform jump forward leaves its lanes waiting at the target when others wait in between.
void find_waits(ControlFlowGraph& graph) {
  const auto count = static_cast<std::uint32_t>(graph.nodes.size());
  const auto wait_at = [&](std::uint32_t i) {
    if (i >= count || graph.nodes[i].wait) return false;
    graph.nodes[i].wait = true;
    auto& list = graph.waits[graph.nodes[i].routine];
    list.insert(std::ranges::upper_bound(list, i), i);
    return true;
  };
  graph.waits.resize(graph.entries.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const FlowNode& s = graph.nodes[i];
    if (s.routine == 0xffffffffu || s.kind != FlowKind::Goto || s.uniform) continue;
    (void)wait_at(s.over_branch ? graph.nodes[i + 1].targets[0] : s.targets[0] > i ? s.targets[0] : i + 1);
  }
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const FlowNode& s = graph.nodes[i];
      const bool jumps =
          s.kind == FlowKind::Jump || s.kind == FlowKind::Switch || (s.kind == FlowKind::Goto && s.uniform);
      if (s.routine == 0xffffffffu || !jumps) continue;
      for (const std::uint32_t target : s.targets) {
        const std::uint32_t* between = graph.next_wait(s.routine, i);
        if (between != nullptr && *between < target) again = wait_at(target) || again;
      }
    }
  }
}

/// (p) goto A; goto B; A: with B behind A.
void find_breaks(ControlFlowGraph& graph) {
  std::vector<std::uint8_t> entered(graph.nodes.size() + 1, 0);
  for (const FlowNode& s : graph.nodes)
    if (s.routine != 0xffffffffu)
      for (const std::uint32_t target : s.targets) entered[std::min<std::size_t>(target, graph.nodes.size())] = 1;
  for (const std::uint32_t entry : graph.entries) entered[entry] = 1;
  for (std::uint32_t i = 0; i + 2 < graph.nodes.size(); ++i) {
    FlowNode& s = graph.nodes[i];
    const FlowNode& next = graph.nodes[i + 1];
    s.over_branch = s.routine != 0xffffffffu && s.kind == FlowKind::Goto && !s.uniform && s.targets[0] == i + 2 &&
                    next.kind == FlowKind::Goto && next.always && next.targets[0] > i + 2 && entered[i + 1] == 0 &&
                    next.targets[0] < graph.nodes.size();
  }
}

}  // namespace

ControlFlowGraph build_control_flow_graph(const machine::PreparedObject& object, unsigned simd) {
  ControlFlowGraph graph;
  graph.nodes.reserve(object.code.size());
  for (const Decoded& d : object.code) {
    graph.nodes.push_back(node_of(object, d, simd));
    graph.has_signal = graph.has_signal || d.description->traits.barrier == isa::BarrierKind::Signal;
  }
  graph.entries.push_back(0);
  graph.calls.emplace_back();
  for (std::uint32_t routine = 0; routine < graph.entries.size() && graph.refusal.empty(); ++routine)
    explore(graph, routine);
  if (!graph.refusal.empty()) return graph;
  std::vector<std::uint8_t> state(graph.entries.size(), 0);
  if (recursive(graph, 0, state)) {
    graph.refusal = "subroutines call themselves";
    return graph;
  }
  find_breaks(graph);
  find_waits(graph);
  const auto lead = [&](std::uint32_t i) {
    if (i < graph.nodes.size()) graph.nodes[i].leader = true;
  };
  for (const std::uint32_t entry : graph.entries) lead(entry);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const FlowNode& s = graph.nodes[i];
    if (s.wait) lead(i);
    if (s.routine == 0xffffffffu) continue;
    for (const std::uint32_t target : s.targets) lead(target);
    if (s.moves()) lead(i + 1);
  }
  return graph;
}

}  // namespace heddle::engine::jit
