#include "engine/jit/shape.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "instructions/reference.hpp"

namespace heddle::engine::jit {

using instructions::FlowKind;
using machine::Decoded;

bool Step::moves() const {
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

std::uint32_t Shape::routine_at(std::uint32_t entry) const {
  return static_cast<std::uint32_t>(std::ranges::find(entries, entry) - entries.begin());
}

const std::uint32_t* Shape::next_wait(std::uint32_t routine, std::uint32_t at) const {
  const auto next = std::ranges::upper_bound(waits[routine], at);
  return next == waits[routine].end() ? nullptr : &*next;
}

namespace {

Step step_of(const machine::Prepared& object, const Decoded& d, unsigned simd) {
  Step s;
  s.kind = instructions::flow_kind(*d.form);
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
std::vector<std::uint32_t> successors(const Shape& shape, std::uint32_t i) {
  const Step& s = shape.steps[i];
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

void explore(Shape& shape, std::uint32_t routine) {
  std::vector<std::uint32_t> open{shape.entries[routine]};
  const auto count = static_cast<std::uint32_t>(shape.steps.size());
  while (!open.empty() && shape.refusal.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    if (i >= count) continue;  // runs off the end: the thread ends
    Step& s = shape.steps[i];
    if (s.routine == routine) continue;
    if (s.routine != 0xffffffffu) {
      shape.refusal = "subroutines share code";
      return;
    }
    s.routine = routine;
    if (s.kind == FlowKind::FunctionCall) shape.refusal = "it calls functions";
    if (s.kind == FlowKind::Barrier) shape.has_barrier = true;
    if (s.kind == FlowKind::Call) {
      if (s.targets.size() != 1)
        shape.refusal = "a call has no label";
      else if (std::ranges::find(shape.entries, s.targets[0]) == shape.entries.end()) {
        shape.entries.push_back(s.targets[0]);
        shape.calls.emplace_back();
      }
      if (shape.refusal.empty()) shape.calls[shape.routine_at(s.targets[0])].push_back(i);
    }
    if ((s.kind == FlowKind::Goto || s.kind == FlowKind::Jump) && s.targets.size() != 1)
      shape.refusal = "a branch has no label";
    for (const std::uint32_t next : successors(shape, i)) open.push_back(next);
  }
}

bool recursive(const Shape& shape, std::uint32_t routine, std::vector<std::uint8_t>& state) {
  if (state[routine] == 1) return true;
  if (state[routine] == 2) return false;
  state[routine] = 1;
  for (const Step& s : shape.steps)
    if (s.routine == routine && s.kind == FlowKind::Call && recursive(shape, shape.routine_at(s.targets[0]), state))
      return true;
  state[routine] = 2;
  return false;
}

/// A uniform jump forward leaves its lanes waiting at the target when others wait in between.
void find_waits(Shape& shape) {
  const auto count = static_cast<std::uint32_t>(shape.steps.size());
  const auto wait_at = [&](std::uint32_t i) {
    if (i >= count || shape.steps[i].wait) return false;
    shape.steps[i].wait = true;
    auto& list = shape.waits[shape.steps[i].routine];
    list.insert(std::ranges::upper_bound(list, i), i);
    return true;
  };
  shape.waits.resize(shape.entries.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const Step& s = shape.steps[i];
    if (s.routine == 0xffffffffu || s.kind != FlowKind::Goto || s.uniform) continue;
    (void)wait_at(s.over_branch ? shape.steps[i + 1].targets[0] : s.targets[0] > i ? s.targets[0] : i + 1);
  }
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Step& s = shape.steps[i];
      const bool jumps =
          s.kind == FlowKind::Jump || s.kind == FlowKind::Switch || (s.kind == FlowKind::Goto && s.uniform);
      if (s.routine == 0xffffffffu || !jumps) continue;
      for (const std::uint32_t target : s.targets) {
        const std::uint32_t* between = shape.next_wait(s.routine, i);
        if (between != nullptr && *between < target) again = wait_at(target) || again;
      }
    }
  }
}

/// (p) goto A; goto B; A: with B behind A.
void find_breaks(Shape& shape) {
  std::vector<std::uint8_t> entered(shape.steps.size() + 1, 0);
  for (const Step& s : shape.steps)
    if (s.routine != 0xffffffffu)
      for (const std::uint32_t target : s.targets) entered[std::min<std::size_t>(target, shape.steps.size())] = 1;
  for (const std::uint32_t entry : shape.entries) entered[entry] = 1;
  for (std::uint32_t i = 0; i + 2 < shape.steps.size(); ++i) {
    Step& s = shape.steps[i];
    const Step& next = shape.steps[i + 1];
    s.over_branch = s.routine != 0xffffffffu && s.kind == FlowKind::Goto && !s.uniform && s.targets[0] == i + 2 &&
                    next.kind == FlowKind::Goto && next.always && next.targets[0] > i + 2 && entered[i + 1] == 0 &&
                    next.targets[0] < shape.steps.size();
  }
}

}  // namespace

Shape shape_of(const machine::Prepared& object, unsigned simd) {
  Shape shape;
  shape.steps.reserve(object.code.size());
  for (const Decoded& d : object.code) {
    shape.steps.push_back(step_of(object, d, simd));
    shape.has_signal = shape.has_signal || d.form->mnemonic == "sbarrier.signal";
  }
  shape.entries.push_back(0);
  shape.calls.emplace_back();
  for (std::uint32_t routine = 0; routine < shape.entries.size() && shape.refusal.empty(); ++routine)
    explore(shape, routine);
  if (!shape.refusal.empty()) return shape;
  std::vector<std::uint8_t> state(shape.entries.size(), 0);
  if (recursive(shape, 0, state)) {
    shape.refusal = "subroutines call themselves";
    return shape;
  }
  find_breaks(shape);
  find_waits(shape);
  const auto lead = [&](std::uint32_t i) {
    if (i < shape.steps.size()) shape.steps[i].leader = true;
  };
  for (const std::uint32_t entry : shape.entries) lead(entry);
  for (std::uint32_t i = 0; i < shape.steps.size(); ++i) {
    const Step& s = shape.steps[i];
    if (s.wait) lead(i);
    if (s.routine == 0xffffffffu) continue;
    for (const std::uint32_t target : s.targets) lead(target);
    if (s.moves()) lead(i + 1);
  }
  return shape;
}

}  // namespace heddle::engine::jit
