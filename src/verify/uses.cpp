// SPDX-License-Identifier: MIT
// visa-uninitialized, visa-unused-declaration.

#include <fmt/format.h>

#include <algorithm>

#include "verify/flow_graph.hpp"
#include "verify/phases.hpp"

namespace heddle::verify {
namespace {

using base::Severity;
using isa::Access;
using isa::Operand;
using isa::OperandKind;

// Work allowed for one object's paths: (variables / 63) x blocks. Beyond it the remaining variables are not followed.
constexpr std::uint64_t kPathBudget = 20'000'000;
constexpr unsigned kBitsAtOnce = 63;

class Uses {
 public:
  Uses(const isa::Object& object, const FlowGraph& graph, Findings& findings)
      : object_(object), graph_(graph), findings_(findings), storage_(object, 32) {
    first_address_ = static_cast<std::uint32_t>(object.variables.size());
    first_predicate_ = first_address_ + static_cast<std::uint32_t>(object.addresses.size());
    units_ = first_predicate_ + static_cast<std::uint32_t>(object.predicates.size());
  }

  void run() {
    initial();
    find_candidates();
    follow_paths();
    unused();
  }

 private:
  // A unit is a general variable that owns storage, an address variable or a predicate.
  [[nodiscard]] std::uint32_t general(std::uint32_t id) const {
    const instructions::Storage& s = storage_[id];
    return s.valid && s.root >= isa::kFirstVariable ? s.root - isa::kFirstVariable : kNowhere;
  }
  [[nodiscard]] std::uint32_t address(std::uint32_t id) const {
    return id < object_.addresses.size() ? first_address_ + id : kNowhere;
  }
  [[nodiscard]] std::uint32_t predicate(std::uint32_t id) const {
    return id >= 1 && id <= object_.predicates.size() ? first_predicate_ + id - 1 : kNowhere;
  }
  [[nodiscard]] const std::string& name(std::uint32_t unit) const {
    if (unit >= first_predicate_) return object_.predicates[unit - first_predicate_].name;
    if (unit >= first_address_) return object_.addresses[unit - first_address_].name;
    return object_.variables[unit].name;
  }

  /// Calls read(unit, operand) for all reads, then write(unit) for all writes of an instruction.
  template <typename Read, typename Write>
  void accesses(const isa::Instruction& instruction, Read read, Write write) const {
    const std::span<const Operand> operands = object_.operands_of(instruction);
    const auto each = [&](bool reads) {
      if (instruction.predicate.present() && reads != instruction.description->traits.predicate_written) {
        const std::uint32_t unit = predicate(instruction.predicate.id());
        if (unit != kNowhere) reads ? read(unit, nullptr) : write(unit);
      }
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const Operand& o = operands[k];
        const isa::Slot* slot = instruction.description->slot_of(k);
        if (slot == nullptr || slot->kind == isa::SlotKind::Variable) continue;
        const bool slot_reads = slot->access == Access::Read || slot->access == Access::ReadWrite;
        const bool slot_writes = slot->access == Access::Write || slot->access == Access::ReadWrite;
        std::uint32_t unit = kNowhere;
        bool operand_reads = slot_reads, operand_writes = slot_writes;
        switch (o.kind) {
          case OperandKind::General:
          case OperandKind::Raw:
            unit = general(o.id);
            break;
          case OperandKind::AddressOf:  // from here on anything may happen through the address
            unit = general(o.id);
            operand_reads = false, operand_writes = true;
            break;
          case OperandKind::Address:
            unit = address(o.id);
            break;
          case OperandKind::Indirect:
            unit = address(o.id);
            operand_reads = true, operand_writes = false;
            break;
          case OperandKind::Predicate:
            unit = predicate(o.id);
            break;
          default:
            break;
        }
        if (unit == kNowhere) continue;
        if (reads && operand_reads) read(unit, &o);
        if (!reads && operand_writes) write(unit);
      }
    };
    each(true);
    each(false);
  }

  struct Event {
    std::uint32_t block, instruction;
    const Operand* operand;
    std::uint32_t bit;
    bool write;
  };

  void initial();
  void find_candidates();
  void follow_paths();
  void unused();

  const isa::Object& object_;
  const FlowGraph& graph_;
  Findings& findings_;
  instructions::StorageTable storage_;
  std::uint32_t first_address_ = 0, first_predicate_ = 0, units_ = 0;
  std::vector<std::uint8_t> initial_;        // written before the first instruction
  std::vector<std::uint32_t> candidates_;    // units with a read that no write in the code right before it explains
  std::vector<std::uint32_t> candidate_of_;  // unit -> position in candidates_
};

void Uses::initial() {
  initial_.assign(units_, 0);
  for (const isa::Input& i : object_.inputs)
    if (i.kind() == isa::InputKind::General)
      if (const std::uint32_t unit = general(i.id); unit != kNowhere) initial_[unit] = 1;
  // Attributes that say that a value comes from outside.
  for (std::uint32_t v = 0; v < object_.variables.size(); ++v)
    for (const isa::Attribute& a : object_.variables[v].attributes)
      if (a.name == "Input" || a.name == "Input_Output")
        if (const std::uint32_t unit = general(isa::kFirstVariable + v); unit != kNowhere) initial_[unit] = 1;
}

void Uses::find_candidates() {
  // A stretch is code without an unconditional jump in it: a write before a read in the same stretch reaches it.
  std::vector<std::uint32_t> written_in(units_, kNowhere);
  candidate_of_.assign(units_, kNowhere);
  std::uint32_t stretch = 0;
  for (std::uint32_t i = 0; i < object_.instructions.size(); ++i) {
    const isa::Instruction& instruction = object_.instructions[i];
    if (graph_.kind(i) == isa::FlowKind::Subroutine) ++stretch;
    accesses(
        instruction,
        [&](std::uint32_t unit, const Operand*) {
          if (initial_[unit] != 0 || written_in[unit] == stretch || candidate_of_[unit] != kNowhere) return;
          candidate_of_[unit] = static_cast<std::uint32_t>(candidates_.size());
          candidates_.push_back(unit);
        },
        [&](std::uint32_t unit) { written_in[unit] = stretch; });
    using isa::FlowKind;
    const FlowKind kind = graph_.kind(i);
    const bool jumps = kind == FlowKind::Jump || kind == FlowKind::Goto || kind == FlowKind::Return ||
                       kind == FlowKind::FunctionReturn;
    if (kind == FlowKind::Switch || (jumps && !instruction.predicate.present())) ++stretch;
  }
}

void Uses::follow_paths() {
  if (candidates_.empty()) return;
  const std::vector<FlowGraph::BasicBlock>& blocks = graph_.blocks();
  const std::size_t rounds = std::min<std::size_t>((candidates_.size() + kBitsAtOnce - 1) / kBitsAtOnce,
                                                   1 + kPathBudget / (blocks.size() + 1));
  // The accesses of the candidates, in the order of the program, each in the round of its candidate.
  std::vector<std::vector<Event>> events(rounds);
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (std::uint32_t i = blocks[b].first; i < blocks[b].end; ++i) {
      const auto event = [&](std::uint32_t unit, const Operand* operand, bool write) {
        const std::uint32_t c = candidate_of_[unit];
        if (c == kNowhere || c / kBitsAtOnce >= rounds) return;
        events[c / kBitsAtOnce].push_back({b, i, operand, c % kBitsAtOnce, write});
      };
      accesses(
          object_.instructions[i], [&](std::uint32_t unit, const Operand* operand) { event(unit, operand, false); },
          [&](std::uint32_t unit) { event(unit, nullptr, true); });
    }
  std::vector<std::uint64_t> generated(blocks.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    std::ranges::fill(generated, 0);
    for (const Event& e : events[round])
      if (e.write) generated[e.block] |= std::uint64_t{1} << e.bit;
    const std::vector<std::uint64_t> in = graph_.reaching(generated);
    std::uint64_t reported = 0, written = 0;
    std::uint32_t block = kNowhere;
    for (const Event& e : events[round]) {
      if (e.block != block) block = e.block, written = in[block];
      const std::uint64_t one = std::uint64_t{1} << e.bit;
      if (e.write)
        written |= one;
      else if ((written & one) == 0 && (reported & one) == 0 && (in[block] & FlowGraph::kReached) != 0) {
        reported |= one;
        const isa::Instruction& instruction = object_.instructions[e.instruction];
        findings_.add("visa-uninitialized", Severity::Warning,
                      e.operand != nullptr ? isa::place_of(findings_.program(), object_, instruction, *e.operand)
                                           : isa::place_of(findings_.program(), object_, instruction),
                      fmt::format("{} is read, and nothing was written to it on any path to here",
                                  name(candidates_[round * kBitsAtOnce + e.bit])));
      }
    }
    events[round] = {};
  }
}

void Uses::unused() {
  // visa-unused-declaration
  std::vector<std::uint8_t> variables(object_.variables.size(), 0), addresses(object_.addresses.size(), 0),
      predicates(object_.predicates.size(), 0), samplers(object_.samplers.size(), 0),
      surfaces(object_.surfaces.size(), 0);
  const auto mark = [](std::vector<std::uint8_t>& list, std::uint64_t index) {
    if (index < list.size()) list[index] = 1;
  };
  for (const Operand& o : object_.operands) {
    switch (o.kind) {
      case OperandKind::General:
      case OperandKind::Raw:
      case OperandKind::AddressOf:
        if (o.id >= isa::kFirstVariable) mark(variables, o.id - isa::kFirstVariable);
        break;
      case OperandKind::Address:
      case OperandKind::Indirect:
        mark(addresses, o.id);
        break;
      case OperandKind::Predicate:
        mark(predicates, std::uint64_t{o.id} - 1);
        break;
      case OperandKind::Sampler:
        mark(samplers, o.id);
        break;
      case OperandKind::Surface:
        mark(surfaces, std::uint64_t{o.id} - isa::kFirstSurface);
        break;
      case OperandKind::State:
        if (o.state == isa::StateClass::Sampler)
          mark(samplers, o.id);
        else
          mark(surfaces, std::uint64_t{o.id} - isa::kFirstSurface);
        break;
      default:
        break;
    }
  }
  for (const isa::Instruction& i : object_.instructions)
    if (i.predicate.present()) mark(predicates, i.predicate.id() - 1);
  for (const isa::Input& i : object_.inputs) {
    if (i.kind() == isa::InputKind::General && i.id >= isa::kFirstVariable) mark(variables, i.id - isa::kFirstVariable);
    if (i.kind() == isa::InputKind::Sampler) mark(samplers, i.id);
    if (i.kind() == isa::InputKind::Surface) mark(surfaces, std::uint64_t{i.id} - isa::kFirstSurface);
  }
  for (std::uint32_t v = 0; v < variables.size(); ++v)  // what a used alias is an alias of is used
    for (std::uint32_t a = v; variables[a] != 0;) {
      const std::uint32_t target = object_.variables[a].alias;
      if (target < isa::kFirstVariable || target - isa::kFirstVariable >= variables.size() ||
          variables[target - isa::kFirstVariable] != 0)
        break;
      a = target - isa::kFirstVariable;
      variables[a] = 1;
    }
  const auto report = [&](const std::vector<std::uint8_t>& used, const auto& list, std::string_view what) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i] != 0) continue;
      base::Place place = isa::place_of(findings_.program(), list[i].position);
      place.object = object_.name;
      findings_.add("visa-unused-declaration", Severity::Note, std::move(place),
                    fmt::format("{} {} is never used", what, list[i].name));
    }
  };
  report(variables, object_.variables, "variable");
  report(addresses, object_.addresses, "address variable");
  report(predicates, object_.predicates, "predicate");
  report(samplers, object_.samplers, "sampler");
  report(surfaces, object_.surfaces, "surface");
}

}  // namespace

void check_uses(const isa::Object& object, const FlowGraph& graph, Findings& findings) {
  Uses(object, graph, findings).run();
}

}  // namespace heddle::verify
