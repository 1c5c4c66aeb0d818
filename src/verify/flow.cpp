// SPDX-License-Identifier: MIT
// Labels, subroutine ends, recursion, barriers, the last render-target write.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "verify/flow_graph.hpp"
#include "verify/phases.hpp"

namespace heddle::verify {
namespace {

using base::Severity;
using isa::FlowKind;
using isa::OperandKind;

class Flow {
 public:
  Flow(const isa::Object& object, const FlowGraph& graph, Findings& findings)
      : object_(object), graph_(graph), findings_(findings) {}

  void run() {
    for (std::uint32_t i = 0; i < object_.instructions.size(); ++i) instruction(i);
    ends();
    recursion();
    barriers();
    last_render_target_write();
    lifetimes();
  }

 private:
  void add(std::string_view id, Severity severity, std::uint32_t instruction, std::string message,
           const isa::Operand* operand = nullptr, std::vector<base::Note> notes = {}) {
    const isa::Instruction& i = object_.instructions[instruction];
    findings_.add(id, severity,
                  operand != nullptr ? isa::place_of(findings_.program(), object_, i, *operand)
                                     : isa::place_of(findings_.program(), object_, i),
                  std::move(message), isa::PlatformSet::all(), std::move(notes));
  }
  [[nodiscard]] std::string label(std::uint32_t id) const {
    return id < object_.labels.size() && !object_.labels[id].name.empty() ? object_.labels[id].name
                                                                          : fmt::format("L{}", id);
  }
  [[nodiscard]] const isa::Instruction& at(std::uint32_t i) const { return object_.instructions[i]; }

  void instruction(std::uint32_t i);
  void target(std::uint32_t i, const isa::Operand& o);
  void ends();
  [[nodiscard]] std::vector<bool> jumped_to() const;
  [[nodiscard]] bool begins_with_subroutine(std::uint32_t end) const;
  void recursion();
  void barriers();
  void last_render_target_write();
  void lifetimes();
  [[nodiscard]] std::vector<std::uint8_t> uniform_predicates() const;
  [[nodiscard]] bool may_diverge(std::uint32_t i, const std::vector<std::uint8_t>& uniform) const;

  const isa::Object& object_;
  const FlowGraph& graph_;
  Findings& findings_;
};

void Flow::instruction(std::uint32_t i) {
  const FlowKind kind = graph_.kind(i);
  if (kind == FlowKind::None) return;
  const bool in_kernel = object_.kind == isa::ObjectKind::Kernel;
  if (kind == FlowKind::Jump || kind == FlowKind::Goto || kind == FlowKind::Switch || kind == FlowKind::Call)
    for (const isa::Operand& o : object_.operands_of(at(i)))
      if (o.kind == OperandKind::Label) target(i, o);
  // visa-flow-fret, visa-flow-ret
  if (kind == FlowKind::FunctionReturn && in_kernel)
    add("visa-flow-fret", Severity::Warning, i, "fret in a kernel, which has no caller");
  if (kind == FlowKind::Return && !in_kernel && graph_.subroutine(i) == 0)
    add("visa-flow-ret", Severity::Warning, i, "ret outside a subroutine of a function, which returns with fret");
  // visa-flow-scalar
  const bool leaves = kind == FlowKind::Call || kind == FlowKind::Return || kind == FlowKind::FunctionReturn ||
                      (kind == FlowKind::FunctionCall && at(i).description->has_exec);
  if (leaves && at(i).exec.size() == 1 && !at(i).exec.no_mask())
    add("visa-flow-scalar", Severity::Note, i, fmt::format("scalar {} without NoMask", at(i).description->mnemonic));
}

void Flow::target(std::uint32_t i, const isa::Operand& o) {
  // visa-label-kind
  if (o.id >= object_.labels.size()) return;  // visa-bin-index
  const bool call = graph_.kind(i) == FlowKind::Call;
  const isa::LabelKind kind = object_.labels[o.id].kind;
  const std::string_view word = at(i).description->mnemonic;
  if (call && kind == isa::LabelKind::FcCall) return;  // in another object
  const std::uint32_t definition = graph_.definition(o.id);
  if (definition == kNowhere) {
    add("visa-label-kind", Severity::Error, i, fmt::format("label {} is nowhere defined", label(o.id)), &o);
  } else if (call && graph_.kind(definition) != FlowKind::Subroutine) {
    add("visa-label-kind", Severity::Error, i, fmt::format("{} to {}, which is no subroutine", word, label(o.id)), &o);
  } else if (!call && graph_.kind(definition) == FlowKind::Subroutine) {
    add("visa-label-kind", Severity::Error, i, fmt::format("{} to {}, which is a subroutine", word, label(o.id)), &o);
  } else if (!call && graph_.subroutine(definition) != graph_.subroutine(i)) {
    add("visa-label-kind", Severity::Error, i,
        fmt::format("{} to {}, which is in another subroutine", word, label(o.id)), &o);
  }
}

/// Old kernels begin with labels and a .function for their own code.
bool Flow::begins_with_subroutine(std::uint32_t end) const {
  for (std::uint32_t i = 0; i < end; ++i)
    if (graph_.kind(i) != FlowKind::Label && graph_.kind(i) != FlowKind::Remark) return false;
  return true;
}

/// The labels that jumps name.
std::vector<bool> Flow::jumped_to() const {
  std::vector<bool> targets(object_.labels.size(), false);
  for (std::uint32_t i = 0; i < object_.instructions.size(); ++i) {
    if (graph_.kind(i) == FlowKind::Label || graph_.kind(i) == FlowKind::Subroutine) continue;
    for (const isa::Operand& o : object_.operands_of(at(i)))
      if (o.kind == isa::OperandKind::Label && o.id < targets.size()) targets[o.id] = true;
  }
  return targets;
}

void Flow::ends() {
  // visa-flow-end: the last instruction that executes, before each subroutine and at the end.
  if (object_.instructions.empty()) {
    base::Place place = isa::place_of(findings_.program(), object_.position);
    place.object = object_.name;
    findings_.add("visa-flow-end", Severity::Error, std::move(place),
                  fmt::format("{} has no instructions", object_.name));
    return;
  }
  const std::vector<bool> entered = jumped_to();
  for (std::uint32_t s = 0; s < graph_.subroutine_count(); ++s) {
    std::uint32_t last = graph_.subroutine_end(s);
    const std::uint32_t start = graph_.subroutine_start(s);
    const auto is_empty = [&](std::uint32_t i) {  // old compilers leave a label behind the last return
      const FlowKind kind = graph_.kind(i);
      if (kind != FlowKind::Label) return kind == FlowKind::Remark;
      const std::uint32_t id = object_.operands_of(at(i))[0].id;
      return id < entered.size() && !entered[id];
    };
    while (last > start && is_empty(last - 1)) --last;
    const std::uint32_t i = last > start ? last - 1 : start;
    const FlowKind kind = graph_.kind(i);
    const bool leaves = kind == FlowKind::Return || kind == FlowKind::FunctionReturn || kind == FlowKind::Goto ||
                        kind == FlowKind::Jump;
    if (kind == FlowKind::Switch || (leaves && !at(i).predicate.present()) || isa::ends_thread(object_, at(i)))
      continue;
    const bool final = s + 1 == graph_.subroutine_count();
    if (!final && s == 0 && begins_with_subroutine(last)) continue;
    add("visa-flow-end", Severity::Error, i,
        final ? fmt::format("control runs off the end of {}", object_.name)
              : fmt::format("control falls into the subroutine {}", [&] {
                  for (const isa::Operand& o : object_.operands_of(at(graph_.subroutine_start(s + 1))))
                    if (o.kind == OperandKind::Label) return label(o.id);
                  return std::string("that follows");
                }()));
  }
}

void Flow::recursion() {
  // visa-flow-recursion: a cycle in the graph of calls, found by a depth-first walk without recursion of our own.
  struct Call {
    std::uint32_t callee, instruction;
  };
  std::vector<std::vector<Call>> calls(graph_.subroutine_count());
  for (std::uint32_t i = 0; i < object_.instructions.size(); ++i)
    if (graph_.kind(i) == FlowKind::Call)
      if (const std::uint32_t callee = graph_.callee(at(i)); callee != kNowhere)
        calls[graph_.subroutine(i)].push_back({callee, i});
  enum : std::uint8_t { Unseen, Open, Closed };
  std::vector<std::uint8_t> state(calls.size(), Unseen);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  for (std::uint32_t s = 0; s < calls.size(); ++s) {
    if (state[s] != Unseen) continue;
    stack.emplace_back(s, 0);
    state[s] = Open;
    while (!stack.empty()) {
      auto& [at_subroutine, next] = stack.back();
      if (next == calls[at_subroutine].size()) {
        state[at_subroutine] = Closed;
        stack.pop_back();
        continue;
      }
      const Call call = calls[at_subroutine][next++];
      if (state[call.callee] == Open) {
        add("visa-flow-recursion", Severity::Error, call.instruction, "this call makes a subroutine call itself");
      } else if (state[call.callee] == Unseen) {
        state[call.callee] = Open;
        stack.emplace_back(call.callee, 0);
      }
    }
  }
}

// Predicates that have the same value in every channel: all their writers compare scalars.
std::vector<std::uint8_t> Flow::uniform_predicates() const {
  std::vector<std::uint8_t> uniform(object_.predicates.size() + 1, 1);
  bool changed = true;
  // A predicate made of predicates is as uniform as they are; a handful of rounds settles compiled code, more is not
  // worth it.
  for (int round = 0; changed && round < 8; ++round) {
    changed = false;
    for (const isa::Instruction& instruction : object_.instructions) {
      const std::span<const isa::Operand> operands = object_.operands_of(instruction);
      bool scalar = !instruction.predicate.present();
      std::uint32_t written = 0;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const isa::Operand& o = operands[k];
        const isa::Slot* slot = instruction.description->slot_of(k);
        if (slot == nullptr) continue;
        if (o.kind == OperandKind::Predicate && slot->access == isa::Access::Write)
          written = o.id;
        else if (o.kind == OperandKind::Predicate)
          scalar = scalar && o.id < uniform.size() && uniform[o.id] != 0;
        else if (slot->kind == isa::SlotKind::Vector)
          scalar = scalar && instructions::Check::is_scalar(o);
      }
      if (written == 0 || written >= uniform.size() || scalar || uniform[written] == 0) continue;
      uniform[written] = 0;
      changed = true;
    }
  }
  return uniform;
}

bool Flow::may_diverge(std::uint32_t i, const std::vector<std::uint8_t>& uniform) const {
  const isa::PredicateUse predicate = at(i).predicate;
  if (!predicate.present() || at(i).exec.size() == 1) return false;
  return predicate.id() >= uniform.size() || uniform[predicate.id()] == 0;
}

void Flow::barriers() {
  // visa-barrier-divergent
  const auto count = static_cast<std::uint32_t>(object_.instructions.size());
  bool any = false;
  for (std::uint32_t i = 0; i < count; ++i) any = any || graph_.kind(i) == FlowKind::Barrier;
  if (!any) return;
  const std::vector<std::uint8_t> uniform = uniform_predicates();
  std::vector<std::int32_t> depth(count + 1, 0);  // differences first
  for (std::uint32_t i = 0; i < count; ++i) {
    if (graph_.kind(i) != FlowKind::Goto || !may_diverge(i, uniform)) continue;
    for (const isa::Operand& o : object_.operands_of(at(i))) {
      if (o.kind != OperandKind::Label || graph_.definition(o.id) == kNowhere) continue;
      const std::uint32_t to = graph_.definition(o.id);
      ++depth[std::min(i, to)];
      --depth[std::max(i, to)];
    }
  }
  for (std::uint32_t i = 1; i <= count; ++i) depth[i] += depth[i - 1];
  // Subroutines that are called where channels have left.
  std::vector<std::uint8_t> divergent(graph_.subroutine_count(), 0);
  std::vector<std::vector<std::uint32_t>> callees(graph_.subroutine_count());
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (graph_.kind(i) != FlowKind::Call) continue;
    const std::uint32_t callee = graph_.callee(at(i));
    if (callee == kNowhere) continue;
    callees[graph_.subroutine(i)].push_back(callee);
    if ((depth[i] > 0 || may_diverge(i, uniform)) && divergent[callee] == 0)
      divergent[callee] = 1, work.push_back(callee);
  }
  while (!work.empty()) {
    const std::uint32_t s = work.back();
    work.pop_back();
    for (const std::uint32_t callee : callees[s])
      if (divergent[callee] == 0) divergent[callee] = 1, work.push_back(callee);
  }
  for (std::uint32_t i = 0; i < count; ++i)
    if (graph_.kind(i) == FlowKind::Barrier && (depth[i] > 0 || divergent[graph_.subroutine(i)] != 0))
      add("visa-barrier-divergent", Severity::Warning, i,
          fmt::format("{} where some channels may have left", at(i).description->mnemonic));
}

void Flow::last_render_target_write() {
  // visa-rt-last, for kernels of the 3d target
  const isa::Attribute* target = object_.attribute("Target");
  const bool three_d = target != nullptr && (target->value == std::vector<std::uint8_t>{1} ||
                                             target->value == std::vector<std::uint8_t>{'3', 'd'});
  if (object_.kind != isa::ObjectKind::Kernel || !three_d) return;
  constexpr unsigned kLastBit = 7;
  const auto is_write = [&](std::uint32_t i) { return at(i).description->traits.target_write; };
  const auto is_last = [&](std::uint32_t i) {
    const isa::Operand* mode = isa::operand_named(object_, at(i), "mode");
    return mode != nullptr && (mode->value >> kLastBit & 1u) != 0;
  };
  // Each channel has a last write of its own: a thread of 32 writes its halves one after the other.
  const auto channels = [&](std::uint32_t i) {
    return ((std::uint64_t{1} << std::min(at(i).exec.size(), 32u)) - 1) << at(i).exec.mask_offset();
  };
  std::vector<std::uint64_t> generated(graph_.blocks().size(), 0);
  std::uint32_t final_write = kNowhere;
  bool any_last = false;
  for (std::uint32_t b = 0; b < graph_.blocks().size(); ++b)
    for (std::uint32_t i = graph_.blocks()[b].first; i < graph_.blocks()[b].end; ++i)
      if (is_write(i)) {
        final_write = i;
        if (is_last(i)) any_last = true, generated[b] |= channels(i);
      }
  if (final_write == kNowhere) return;
  if (!any_last) {
    add("visa-rt-last", Severity::Warning, final_write, "no render-target write of the kernel is marked <LRTW>");
    return;
  }
  const std::vector<std::uint64_t> in = graph_.reaching(generated);
  for (std::uint32_t b = 0; b < graph_.blocks().size(); ++b) {
    std::uint64_t done = in[b];
    for (std::uint32_t i = graph_.blocks()[b].first; i < graph_.blocks()[b].end; ++i) {
      if (!is_write(i)) continue;
      if ((done & channels(i)) != 0)
        add("visa-rt-last", Severity::Warning, i, "a render-target write follows the one marked <LRTW>");
      if (is_last(i)) done |= channels(i);
    }
  }
}

void Flow::lifetimes() {
  // visa-lifetime: in the order of the program
  std::unordered_set<std::uint64_t> started;
  for (std::uint32_t i = 0; i < object_.instructions.size(); ++i) {
    const isa::Instruction& instruction = at(i);
    const isa::Lifetime lifetime = instruction.description->traits.lifetime;
    if (lifetime == isa::Lifetime::None) continue;
    for (const isa::Operand& o : object_.operands_of(instruction)) {
      const std::uint64_t key = static_cast<std::uint64_t>(o.kind) << 32 | o.id;
      if (lifetime == isa::Lifetime::Start)
        started.insert(key);
      else if (!started.contains(key))
        add("visa-lifetime", Severity::Warning, i, "a lifetime ends that has not started", &o);
    }
  }
}

}  // namespace

void check_flow(const isa::Object& object, const FlowGraph& graph, Findings& findings) {
  Flow(object, graph, findings).run();
}

}  // namespace heddle::verify
