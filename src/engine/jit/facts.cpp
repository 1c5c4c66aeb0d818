#include "engine/jit/facts.hpp"

#include "instructions/jit_facts.hpp"

namespace heddle::engine::jit {
namespace {

using instructions::FlowKind;
using machine::jit::Facts;

class Finder {
 public:
  Finder(const machine::Prepared& object, const machine::StateIndex& states, const Shape& shape)
      : object_(object), states_(states), shape_(shape), code_(object.code) {}

  void arrive(std::uint32_t i, const Facts& facts) {
    if (i >= code_.size()) return;
    if (!map_.at[i]) {
      map_.at[i] = facts;
    } else if (!map_.at[i]->meet(facts)) {
      return;
    }
    open_.push_back(i);
  }

  /// Behind wait points that nobody waits at, and out of the routine.
  void leave_towards_waits(std::uint32_t i, const Facts& facts) {
    const std::uint32_t routine = step(i).routine;
    if (const std::uint32_t* next = shape_.next_wait(routine, i)) return arrive(*next, facts);
    if (routine == 0) return;
    for (const std::uint32_t call : shape_.calls[routine]) arrive(call + 1, facts);
  }

  FactMap run(machine::jit::Facts initial) {
    map_.at.resize(code_.size());
    arrive(0, initial);
    map_.initial = std::move(initial);
    while (!open_.empty()) {
      std::uint32_t i = open_.back();
      open_.pop_back();
      if (step(i).wait) leave_towards_waits(i, *map_.at[i]);
      Facts facts = *map_.at[i];
      for (bool first = true;; first = false) {
        if (i >= code_.size()) break;
        if (!first && step(i).leader) {
          arrive(i, facts);
          break;
        }
        if (step(i).moves()) {
          spread(i, facts);
          break;
        }
        instructions::learn(facts, object_, states_, code_[i]);
        ++i;
      }
    }
    return std::move(map_);
  }

  void spread(std::uint32_t i, const Facts& facts) {
    const Step& s = step(i);
    switch (s.kind) {
      case FlowKind::Goto:
      case FlowKind::Jump:
      case FlowKind::Switch:
        for (const std::uint32_t target : s.targets) arrive(target, facts);
        if (!s.always || s.kind == FlowKind::Switch) arrive(i + 1, facts);
        leave_towards_waits(i, facts);
        break;
      case FlowKind::Call:
        arrive(s.targets[0], facts);
        if (!s.always) arrive(i + 1, facts);
        break;
      default:
        if (!s.ends) arrive(i + 1, facts);
        leave_towards_waits(i, facts);
        break;
    }
  }

 private:
  [[nodiscard]] const Step& step(std::uint32_t i) const { return shape_.steps[i]; }
  const machine::Prepared& object_;
  const machine::StateIndex& states_;
  const Shape& shape_;
  const std::vector<machine::Decoded>& code_;
  FactMap map_;
  std::vector<std::uint32_t> open_;
};

Facts initial_facts(const machine::Prepared& object, const machine::StateIndex& states,
                    const machine::Bindings& bindings) {
  Facts facts;
  facts.control = machine::kInitialCr0;
  facts.states.resize(states.size());
  const std::size_t elements = object.object->addresses.size() * machine::Registers::kAddressElements;
  facts.address_roots.assign(elements, machine::kNoRoot);
  facts.address_hints.assign(elements, machine::kNoRoot);
  constexpr std::array<std::uint32_t, isa::kFirstSurface> kIndices = {
      machine::kBtiSlm, 1, 2, machine::kBtiTss, machine::kBtiBindless, machine::kBtiScratch};
  for (std::uint32_t s = 0; s < isa::kFirstSurface; ++s) facts.states[states.surface(s, 0)] = kIndices[s];
  for (const auto& [id, values] : bindings.surface_variables)
    for (std::uint32_t e = 0; e < values.size(); ++e)
      if (const std::uint32_t at = states.surface(id, e); at != machine::StateIndex::kNone)
        facts.states[at] = values[e];
  for (const auto& [id, values] : bindings.sampler_variables)
    for (std::uint32_t e = 0; e < values.size(); ++e)
      if (const std::uint32_t at = states.sampler(id, e); at != machine::StateIndex::kNone)
        facts.states[at] = values[e];
  return facts;
}

}  // namespace

FactMap find_facts(const machine::Prepared& object, const machine::StateIndex& states, const Shape& shape,
                   const machine::Bindings& bindings) {
  return Finder(object, states, shape).run(initial_facts(object, states, bindings));
}

}  // namespace heddle::engine::jit
