// SPDX-License-Identifier: MIT
#include "verify/flow_graph.hpp"

#include <algorithm>

namespace heddle::verify {

using isa::FlowKind;

FlowGraph::FlowGraph(const isa::Object& object) : object_(object) {
  kinds_.reserve(object.instructions.size());
  for (const isa::Instruction& i : object.instructions) kinds_.push_back(i.description->traits.flow);
  find_labels();
  build();
}

void FlowGraph::find_labels() {
  definition_.assign(object_.labels.size(), kNowhere);
  subroutine_.resize(kinds_.size());
  subroutine_start_.push_back(0);
  for (std::uint32_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i] == FlowKind::Subroutine && i != 0) subroutine_start_.push_back(i);
    subroutine_[i] = static_cast<std::uint32_t>(subroutine_start_.size() - 1);
    if (kinds_[i] != FlowKind::Subroutine && kinds_[i] != FlowKind::Label) continue;
    for (const isa::Operand& o : object_.operands_of(object_.instructions[i]))
      if (o.kind == isa::OperandKind::Label && o.id < definition_.size() && definition_[o.id] == kNowhere)
        definition_[o.id] = i;
  }
}

std::uint32_t FlowGraph::callee(const isa::Instruction& call) const {
  for (const isa::Operand& o : object_.operands_of(call)) {
    if (o.kind != isa::OperandKind::Label) continue;
    const std::uint32_t at = definition(o.id);
    return at != kNowhere && kinds_[at] == FlowKind::Subroutine ? subroutine_[at] : kNowhere;
  }
  return kNowhere;
}

void FlowGraph::build() {
  const auto count = static_cast<std::uint32_t>(kinds_.size());
  std::vector<std::uint32_t> block_of(count);
  bool starts = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    const FlowKind kind = kinds_[i];
    if (starts || kind == FlowKind::Label || kind == FlowKind::Subroutine) blocks_.push_back({i, i});
    block_of[i] = static_cast<std::uint32_t>(blocks_.size() - 1);
    blocks_.back().end = i + 1;
    starts = kind == FlowKind::Jump || kind == FlowKind::Goto || kind == FlowKind::Switch || kind == FlowKind::Call ||
             kind == FlowKind::Return || kind == FlowKind::FunctionReturn ||
             isa::ends_thread(object_, object_.instructions[i]);
  }
  // One empty block for the exit of each subroutine, so that returns times calls does not count.
  const auto code_blocks = static_cast<std::uint32_t>(blocks_.size());
  blocks_.resize(code_blocks + subroutine_start_.size(), {count, count});

  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t b = 0; b < code_blocks; ++b) {
    const std::uint32_t last = blocks_[b].end - 1;
    const isa::Instruction& instruction = object_.instructions[last];
    const FlowKind kind = kinds_[last];
    const bool predicated = instruction.predicate.present();
    bool falls = true;
    const auto to_labels = [&] {
      for (const isa::Operand& o : object_.operands_of(instruction))
        if (o.kind == isa::OperandKind::Label && definition(o.id) != kNowhere)
          edges.emplace_back(b, block_of[definition(o.id)]);
    };
    switch (kind) {
      case FlowKind::Jump:
      case FlowKind::Goto:
        to_labels();
        falls = predicated;
        break;
      case FlowKind::Switch:
        to_labels();
        falls = false;
        break;
      case FlowKind::Call:
        if (const std::uint32_t s = callee(instruction); s != kNowhere) {
          edges.emplace_back(b, block_of[subroutine_start_[s]]);
          if (last + 1 < count) edges.emplace_back(code_blocks + s, block_of[last + 1]);
        }
        break;
      case FlowKind::Return:
        edges.emplace_back(b, code_blocks + subroutine_[last]);
        falls = predicated || instruction.exec.size() > 1;  // channels that are off stay
        break;
      case FlowKind::FunctionReturn:
        falls = predicated || instruction.exec.size() > 1;
        break;
      default:
        falls = !isa::ends_thread(object_, instruction);
        break;
    }
    if (falls && last + 1 < count) edges.emplace_back(b, block_of[last + 1]);
  }
  first_edge_.assign(blocks_.size() + 1, 0);
  for (const auto& [from, to] : edges) ++first_edge_[from + 1];
  for (std::size_t i = 1; i < first_edge_.size(); ++i) first_edge_[i] += first_edge_[i - 1];
  edges_.resize(edges.size());
  std::vector<std::uint32_t> next(first_edge_.begin(), first_edge_.end() - 1);
  for (const auto& [from, to] : edges) edges_[next[from]++] = to;
  sort();
}

// Reverse postorder of a depth-first walk from the start.
void FlowGraph::sort() {
  if (kinds_.empty()) return;
  std::vector<std::uint8_t> seen(blocks_.size(), 0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack = {{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    auto& [b, next] = stack.back();
    const std::span<const std::uint32_t> to = successors(b);
    if (next == to.size()) {
      order_.push_back(b);
      stack.pop_back();
      continue;
    }
    const std::uint32_t s = to[next++];
    if (seen[s] == 0) seen[s] = 1, stack.emplace_back(s, 0);
  }
  std::ranges::reverse(order_);
}

std::vector<std::uint64_t> FlowGraph::reaching(std::span<const std::uint64_t> generated) const {
  std::vector<std::uint64_t> in(blocks_.size(), 0);
  if (kinds_.empty()) return in;
  in[0] = kReached;
  std::vector<std::uint8_t> changed(blocks_.size(), 0);
  changed[0] = 1;
  std::vector<std::uint32_t> work;
  bool queueing = false;
  const auto settle = [&](std::uint32_t b) {
    changed[b] = 0;
    const std::uint64_t out = in[b] | generated[b];
    for (const std::uint32_t s : successors(b)) {
      if ((in[s] | out) == in[s]) continue;
      in[s] |= out;
      if (queueing && changed[s] == 0) work.push_back(s);
      changed[s] = 1;
    }
  };
  // Sweeps in reverse postorder settle compiled code in a few rounds. What is then still moving is followed block by
  // block, which visits each at most once for each bit.
  constexpr int kSweeps = 12;
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (const std::uint32_t b : order_)
      if (changed[b] != 0) settle(b);
  for (const std::uint32_t b : order_)
    if (changed[b] != 0) work.push_back(b);
  queueing = true;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    settle(b);
  }
  return in;
}

}  // namespace heddle::verify
