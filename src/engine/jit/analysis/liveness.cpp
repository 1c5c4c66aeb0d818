// SPDX-License-Identifier: MIT
#include "engine/jit/analysis/liveness.hpp"

#include <algorithm>
#include <unordered_map>

#include "instructions/jit.hpp"
#include "instructions/jit_known_values.hpp"
#include "instructions/reference.hpp"

namespace heddle::engine::jit {
namespace {

using isa::FlowKind;
using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::CodegenContext;
using machine::jit::FunctionState;
using machine::jit::KnownValues;
using machine::jit::Recorder;

constexpr std::uint32_t kNone = 0xffffffffu;
constexpr unsigned kGroup = 8, kGroups = machine::kMaxLanes / kGroup;  ///< lanes are looked at in groups
constexpr std::size_t kMaxWords = std::size_t{1} << 22;                ///< of all sets together

using Set = std::vector<std::uint64_t>;
void unite(Set& a, const Set& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] |= b[i];
}

/// One element of each lane, or a predicate: groups of lanes of it are live or not.
struct Access {
  std::uint32_t item = 0;
  std::uint8_t first = 0, count = 0;  ///< lanes
  bool write = false, whole = false;
};

class Finder {
 public:
  Finder(const FunctionState& frame, const ControlFlowGraph& graph, const KernelVariant& special)
      : frame_(frame), graph_(graph), special_(special), code_(frame.object->code) {}

  Liveness run() {
    Liveness result;
    result.unmasked_writes.resize(code_.size());
    result.by_lane.assign(frame_.predicates.size(), false);
    frame_.recorder = &recorder_;
    owner_.assign(frame_.object->layout.bytes(), kNone);
    predicates_.assign(frame_.predicates.size(), Item{true, true});
    accesses_.resize(code_.size() + 1);
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (graph_.nodes[i].leader && graph_.nodes[i].routine != kNone && special_.known->at[i]) record_body(i);
    for (std::size_t p = 0; p < predicates_.size(); ++p) result.by_lane[p] = predicates_[p].by_lane;
    if (special_.keep_registers || astray_ || !number_items()) return result;
    flow();
    for (std::uint32_t r = 0; r < graph_.entries.size(); ++r) outer(r);
    for (std::uint32_t r = 0; r < graph_.entries.size(); ++r) decide(r, result.unmasked_writes);
    return result;
  }

 private:
  struct Item {
    bool pure = true;     ///< every lane sees its own element alone
    bool by_lane = true;  ///< predicates
    std::uint32_t bit = kNone;
  };

  // --- what instructions touch ---

  void record_body(std::uint32_t i) {
    KnownValues known = *special_.known->at[i];
    for (bool first = true;; first = false, ++i) {
      if (i >= code_.size() || (!first && graph_.nodes[i].leader)) return;
      const Decoded& d = code_[i];
      if (d.execute == instructions::does_nothing) continue;
      recorder_.clear();
      if (graph_.nodes[i].moves()) {
        CodegenContext e(builder_, frame_, known, d);
        e.set_lane_wise_flow();
        (void)e.predicated();
        if (graph_.nodes[i].kind == FlowKind::Switch) (void)e.read_integer(e.source(0), 8);
        take(i);
        return;
      }
      record_instruction(i, known);
      take(i);
      instructions::transfer(known, *frame_.object, *frame_.states, d);
    }
  }

  void record_instruction(std::uint32_t i, const KnownValues& known) {
    const Decoded& d = code_[i];
    frame_.message = special_.images->at(i);
    frame_.call_reference = [] {};
    CodegenContext e(builder_, frame_, known, d);
    const machine::jit::Emitter emitter = d.execute != nullptr ? instructions::jit_of(*d.description) : nullptr;
    for (unsigned o = 0; o < e.operand_count() && emitter != nullptr; ++o)
      if (e.operand(o).kind == OperandKind::Indirect) {
        const unsigned per = e.operand(o).width == 0 ? d.lanes : e.operand(o).width;
        // Without a variable of its own an address may point anywhere.
        astray_ = astray_ || !e.address_root(e.operand(o).id, e.operand(o).element, (d.lanes + per - 1) / per);
      }
    if (emitter != nullptr && emitter(e)) return;
    for (unsigned o = 0; o < d.operand_count; ++o) {
      const Operand& operand = e.operand(o);
      astray_ = astray_ || operand.kind == OperandKind::Indirect;
      if (operand.kind == OperandKind::Predicate) recorder_.touched_predicates.push_back(operand.id);
      if (!operand.null && (operand.kind == OperandKind::General || operand.kind == OperandKind::Raw))
        recorder_.touched.push_back({operand.root_begin, operand.root_end});
      for (const Operand* rest = operand.rest; rest != nullptr; rest = rest->rest)
        recorder_.touched.push_back({rest->root_begin, rest->root_end});
    }
    if (d.predicate.present()) recorder_.touched_predicates.push_back(static_cast<std::uint32_t>(d.predicate.id()));
    for (const std::uint32_t p : recorder_.touched_predicates)
      if (p < predicates_.size()) predicates_[p].by_lane = false;
  }

  void take(std::uint32_t i) {
    for (const Recorder::Bytes& bytes : recorder_.touched) {
      for (std::uint32_t at = bytes.begin; at < bytes.end && at < owner_.size(); ++at) spoil(at);
    }
    for (const std::uint32_t p : recorder_.touched_predicates)
      if (p < predicates_.size()) {
        const Decoded& d = code_[i];
        predicates_[p].pure = false;
        if (unsigned{d.mask_offset} + d.lanes > special_.simd) predicates_[p].by_lane = false;
      }
    for (const Recorder::Bits& bits : recorder_.predicates) {
      if (bits.id >= predicates_.size()) continue;
      if (unsigned{bits.first} + bits.count > special_.simd) predicates_[bits.id].by_lane = false;
      accesses_[i].push_back({bits.id | kPredicate, bits.first, bits.count, bits.write, bits.whole});
    }
    for (const Recorder::Row& row : recorder_.rows) {
      const std::uint32_t item = own(row);
      if (item != kNone) accesses_[i].push_back({item, row.first, row.count, row.write, row.whole});
    }
  }

  void spoil(std::uint32_t at) {
    if (owner_[at] < rows_.size()) rows_[owner_[at]].pure = false;
    owner_[at] = kShared;
  }

  std::uint32_t own(const Recorder::Row& row) {
    const std::int64_t begin = row.lane0 + std::int64_t{row.first} * row.size;
    if (begin < 0 || static_cast<std::uint64_t>(begin) + row.count * row.size > owner_.size()) return kNone;
    const auto [at, added] = ids_.try_emplace(row.lane0 * 16 + row.size, static_cast<std::uint32_t>(rows_.size()));
    const std::uint32_t id = at->second;
    if (added) rows_.emplace_back();
    const machine::jit::VariableStorage* storage = frame_.storage(static_cast<std::uint32_t>(begin));
    if (storage == nullptr || !storage->local) rows_[id].pure = false;
    for (auto p = static_cast<std::uint32_t>(begin), end = p + row.count * row.size; p < end; ++p) {
      if (owner_[p] == kNone) {
        owner_[p] = id;
      } else if (owner_[p] != id) {
        spoil(p);
        rows_[id].pure = false;
      }
    }
    return id;
  }

  // --- which elements are live ---

  [[nodiscard]] Item& item(std::uint32_t id) {
    return (id & kPredicate) != 0 ? predicates_[id & ~kPredicate] : rows_[id];
  }

  bool number_items() {
    std::uint32_t bits = 0;
    for (auto* list : {&rows_, &predicates_})
      for (Item& one : *list)
        if (one.pure) one.bit = std::exchange(bits, bits + kGroups);
    words_ = (bits + 63) / 64;
    std::size_t blocks = 0;
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (starts(i)) ++blocks;
    return bits != 0 && blocks * words_ <= kMaxWords;
  }

  /// Calls `f` with the bits of an access that is looked at.
  template <typename F>
  void each_bit(const Access& access, F f) {
    const std::uint32_t bit = item(access.item).bit;
    if (bit == kNone) return;
    for (unsigned lane = access.first; lane < unsigned{access.first} + access.count; lane += kGroup)
      f((bit + lane / kGroup) / 64, std::uint64_t{1} << (bit + lane / kGroup) % 64);
  }

  [[nodiscard]] bool starts(std::uint32_t i) const {
    return graph_.nodes[i].routine != kNone && (graph_.nodes[i].leader || i == 0);
  }

  void step_back(std::uint32_t i, Set& live) {
    for (const Access& access : accesses_[i])
      if (access.write && access.whole) each_bit(access, [&](std::size_t w, std::uint64_t m) { live[w] &= ~m; });
    for (const Access& access : accesses_[i])
      if (!access.write) each_bit(access, [&](std::size_t w, std::uint64_t m) { live[w] |= m; });
  }

  void add_live(Set& live, std::uint32_t i) const {
    if (i < code_.size() && !live_[i].empty()) unite(live, live_[i]);
  }

  /// What one lane may read behind instruction `i`, the last of its block.
  void behind(std::uint32_t i, Set& live) const {
    const FlowNode& s = graph_.nodes[i];
    switch (s.kind) {
      case FlowKind::Goto:
      case FlowKind::Jump:
      case FlowKind::Switch:
      case FlowKind::Call:
        for (const std::uint32_t target : s.targets) add_live(live, target);
        if (!s.always || s.kind == FlowKind::Switch || s.kind == FlowKind::Call) add_live(live, i + 1);
        break;
      case FlowKind::Return:
      case FlowKind::FunctionReturn:
        if (!s.ends) add_live(live, i + 1);
        for (const std::uint32_t call : graph_.calls[s.routine]) add_live(live, call + 1);
        break;
      default:
        add_live(live, i + 1);
        break;
    }
  }

  void flow() {
    live_.resize(code_.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;  // first, last
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (!starts(i)) continue;
      std::uint32_t last = i;
      while (!graph_.nodes[last].moves() && last + 1 < code_.size() && !starts(last + 1)) ++last;
      blocks.emplace_back(i, last);
      live_[i].assign(words_, 0);
    }
    Set live(words_);
    for (bool again = true; again;) {
      again = false;
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        std::ranges::fill(live, 0);
        behind(block->second, live);
        for (std::uint32_t i = block->second + 1; i-- > block->first;) step_back(i, live);
        if (live == live_[block->first]) continue;
        live_[block->first] = live;
        again = true;
      }
    }
  }

  // --- what lanes that wait may read ---

  /// Outside a subroutine: lanes that were not called, or have returned. Routines are not recursive.
  const Set& outer(std::uint32_t routine) {
    outer_.resize(graph_.entries.size());
    if (!outer_[routine].empty()) return outer_[routine];
    Set all(words_, 0);
    for (const std::uint32_t call : graph_.calls[routine]) {
      const std::uint32_t caller = graph_.nodes[call].routine;
      unite(all, outer(caller));
      add_live(all, call + 1);
      for (const std::uint32_t wait : graph_.waits[caller])
        if (wait > call) add_live(all, wait);
    }
    return outer_[routine] = std::move(all);
  }

  /// While an instruction runs, lanes wait behind it, never at or before it.
  void decide(std::uint32_t routine, std::vector<bool>& unmasked_writes) {
    Set waiting = outer_[routine];
    for (auto i = static_cast<std::uint32_t>(code_.size()); i-- > 0;) {
      if (graph_.nodes[i].routine != routine) continue;
      bool writes = false, dead = true;
      for (const Access& access : accesses_[i]) {
        if (!access.write) continue;
        writes = true;
        dead = dead && item(access.item).bit != kNone;
        each_bit(access, [&](std::size_t w, std::uint64_t m) { dead = dead && (waiting[w] & m) == 0; });
      }
      unmasked_writes[i] = writes && dead;
      if (graph_.nodes[i].wait) add_live(waiting, i);
    }
  }

  static constexpr std::uint32_t kShared = 0xfffffffeu, kPredicate = 0x80000000u;
  FunctionState frame_;
  const ControlFlowGraph& graph_;
  const KernelVariant& special_;
  const std::vector<Decoded>& code_;
  machine::jit::NullBuilder builder_;
  Recorder recorder_;
  std::vector<std::uint32_t> owner_;  ///< by byte of the register file
  std::unordered_map<std::int64_t, std::uint32_t> ids_;
  std::vector<Item> rows_, predicates_;
  std::vector<std::vector<Access>> accesses_;
  bool astray_ = false;
  std::size_t words_ = 0;
  std::vector<Set> live_, outer_;
};

}  // namespace

Liveness find_liveness(const FunctionState& frame, const ControlFlowGraph& graph, const KernelVariant& special) {
  return Finder(frame, graph, special).run();
}

}  // namespace heddle::engine::jit
