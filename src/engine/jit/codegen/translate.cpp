// SPDX-License-Identifier: MIT
#include "engine/jit/codegen/translate.hpp"

#include <cstddef>
#include <numeric>

#include <fmt/format.h>

#include "engine/jit/analysis/liveness.hpp"
#include "engine/jit/codegen/choices.hpp"
#include "engine/jit/codegen/state_variables.hpp"
#include "engine/jit/codegen/thread_loop.hpp"
#include "engine/jit/codegen/variable_storage.hpp"
#include "instructions/fence.hpp"
#include "instructions/jit.hpp"
#include "instructions/jit_known_values.hpp"
#include "instructions/reference.hpp"

namespace heddle::engine::jit {
namespace {

using isa::FlowKind;
using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::Binary;
using machine::jit::Block;
using machine::jit::Builder;
using machine::jit::Callee;
using machine::jit::Cast;
using machine::jit::CodegenContext;
using machine::jit::Compare;
using machine::jit::Element;
using machine::jit::FunctionState;
using machine::jit::KnownValues;
using machine::jit::LaneSet;
using machine::jit::Result;
using machine::jit::ThreadContext;
using machine::jit::Unary;
using machine::jit::Value;
using machine::jit::VariableStorage;
namespace predefined = machine::predefined;

constexpr machine::jit::VectorType kWord{Element::I32, 0}, kLong{Element::I64, 0};
constexpr Callee kStep{"heddle_jit_step", kWord, true}, kRefuel{"heddle_jit_refuel", kWord, true};

class KernelTranslator {
 public:
  KernelTranslator(Builder& builder, FunctionState& function, const ControlFlowGraph& graph,
                   const KernelVariant& special)
      : b_(builder),
        function_(function),
        graph_(graph),
        special_(special),
        code_(function.object->code),
        threads_(builder, function, special),
        states_(builder, function, graph, special),
        choices_(builder, function, graph,
                 {[this](std::uint32_t i, const KnownValues& known) { instruction(i, known); },
                  [this](std::uint32_t i) { return enter(i); }, [this] { uncounted_ = 0; },
                  [this](std::uint32_t i) { return special_.images->at(i); }}) {}

  Counts run() {
    allocate_variables(b_, function_, graph_, special_.in_memory);
    function_.predicates.resize(function_.object->object->predicates.size() + 1);
    liveness_ = find_liveness(function_, graph_, special_);
    function_.steps = b_.storage(8, 8, "steps");
    if (!b_.quick() && (special_.simd == 8 || special_.simd == 16)) choices_.find(special_.simd);
    states_.look_ahead();
    prologue();
    make_blocks();
    b_.jump(enter(0));
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (graph_.nodes[i].leader && graph_.nodes[i].routine != kNone) body(i);
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (graph_.nodes[i].wait) join(i);
    for (std::uint32_t r = 1; r < graph_.entries.size(); ++r) return_block(r);
    if (special_.in_memory) common_reference();
    b_.at(finish_);
    if (special_.keep_registers) keep_registers();
    threads_.end();
    leave(number(0));
    return std::move(counts_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  [[nodiscard]] Value number(std::uint64_t value) { return b_.constant(kWord, value); }
  [[nodiscard]] const FlowNode& node(std::uint32_t i) const { return graph_.nodes[i]; }
  // Sets of lanes
  [[nodiscard]] Value active() { return function_.active.load(b_); }
  [[nodiscard]] Value active_bits() { return function_.active.bits(b_, active()); }
  void set_active(Value mask) { function_.active.store(b_, mask); }
  [[nodiscard]] Value no_lane() { return function_.active.constant(b_, 0); }
  [[nodiscard]] Value any(Value mask) { return function_.active.any(b_, mask); }
  [[nodiscard]] Value without(Value mask, Value less) {
    return b_.binary(Binary::And, mask, b_.binary(Binary::Xor, less, function_.active.constant(b_, 0xffffffffu)));
  }

  void prologue() {
    const machine::PreparedObject& object = *function_.object;
    const Value payload = threads_.begin();
    const bool vectors = special_.simd == 8 || special_.simd == 16 || special_.simd == 32;
    function_.active = LaneSet::make(b_, vectors ? special_.simd : 0, "active");
    const std::uint32_t all = special_.simd >= 32 ? 0xffffffffu : (1u << special_.simd) - 1;
    set_active(function_.active.from_bits(
        b_,
        special_.full ? number(all) : b_.load(function_.context, offsetof(ThreadContext, dispatch_mask), kWord, 4)));
    for (std::size_t p = 1; p < function_.predicates.size(); ++p) {
      LaneSet& set = function_.predicates[p];
      set = LaneSet::make(b_, liveness_.by_lane[p] ? function_.active.lanes : 0, "p");
      set.store(b_, set.constant(b_, 0));
    }
    const std::size_t elements = object.object->addresses.size() * machine::Registers::kAddressElements;
    for (std::size_t at = 0; at < elements; at += 8)
      b_.store(function_.addresses, static_cast<std::int64_t>(at * 8),
               b_.constant({Element::I64, 8}, std::uint64_t{machine::kNoRoot} << 32), 8);
    clear_variables();
    load_inputs(b_, function_, payload);
    states_.load(payload);
  }

  /// Variables that lie side by side in the register file are cleared together.
  void clear_variables() {
    std::uint32_t begin = 0, end = 0;
    const auto clear = [&] {
      // The register file is a plain vector: its address is not aligned to registers.
      if (end != begin) b_.fill(function_.registers, begin, end - begin, 1);
    };
    for (const VariableStorage& storage : function_.variables) {
      if (lies_apart(storage)) {
        b_.fill(storage.pointer, 0, storage.end - storage.begin, 64);
      } else if (storage.begin == end) {
        end = storage.end;
      } else {
        clear();
        begin = storage.begin, end = storage.end;
      }
    }
    clear();
  }

  // --- blocks ---

  void make_blocks() {
    finish_ = b_.block("finish");
    if (special_.in_memory) {
      reference_ = b_.storage(16, 8, "reference");
      common_reference_ = b_.block("reference");
    }
    bodies_.resize(code_.size());
    joins_.resize(code_.size());
    waiting_.resize(code_.size());
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (node(i).routine == kNone) continue;
      if (node(i).leader) bodies_[i] = b_.block(fmt::format("i{}", i));
      if (!node(i).wait) continue;
      joins_[i] = b_.block(fmt::format("join{}", i));
      waiting_[i] = LaneSet::make(b_, function_.active.lanes, fmt::format("wait{}", i));
      waiting_[i].store(b_, no_lane());
    }
    returns_.resize(graph_.entries.size());
    for (std::uint32_t r = 1; r < graph_.entries.size(); ++r)
      returns_[r] = {b_.block(fmt::format("return{}", r)), b_.storage(4, 4, "site"),
                     LaneSet::make(b_, function_.active.lanes, "outer")};
  }

  /// Where lanes that come to instruction `i` from before it go.
  [[nodiscard]] Block enter(std::uint32_t i) {
    if (i >= code_.size()) return finish_;
    return node(i).wait ? joins_[i] : bodies_[i];
  }
  /// Where to look for lanes when none is active at `i`.
  [[nodiscard]] Block look_further(std::uint32_t i) {
    const std::uint32_t routine = node(i).routine;
    if (const std::uint32_t* next = graph_.next_wait(routine, i)) return joins_[*next];
    return routine == 0 ? finish_ : returns_[routine].block;
  }

  void join(std::uint32_t i) {
    b_.at(joins_[i]);
    const Value here = b_.binary(Binary::Or, active(), waiting_[i].load(b_));
    waiting_[i].store(b_, no_lane());
    set_active(here);
    b_.branch(any(here), bodies_[i], look_further(i));
  }

  void add_waiting(std::uint32_t i, Value lanes) {
    waiting_[i].store(b_, b_.binary(Binary::Or, waiting_[i].load(b_), lanes));
  }

  void return_block(std::uint32_t routine) {
    const Routine& r = returns_[routine];
    b_.at(r.block);
    set_active(r.outer.load(b_));
    std::vector<std::uint32_t> sites;
    std::vector<Block> blocks;
    for (const std::uint32_t call : graph_.calls[routine]) {
      sites.push_back(call);
      blocks.push_back(enter(call + 1));
    }
    b_.choose(b_.load(r.site, 0, kWord, 4), sites, blocks, finish_);
  }

  void body(std::uint32_t i) {
    b_.at(bodies_[i]);
    if (!special_.known->at[i]) return b_.jump(finish_);  // behind a call that never returns
    KnownValues known = *special_.known->at[i];
    choices_.begin(i, known);
    for (bool first = true;; first = false, ++i) {
      if (i >= code_.size() || (!first && node(i).leader)) {
        b_.step();
        count_steps();
        b_.jump(enter(i));
        return;
      }
      const Decoded& d = code_[i];
      if (d.execute == instructions::does_nothing) {
        if (d.description->traits.fence != isa::FenceKind::None && instructions::orders_buffers({*function_.object, d}))
          b_.call({kFenceMark, {}, false}, {});
        continue;
      }
      if (node(i).moves()) {
        CodegenContext e(b_, function_, known, d);
        refresh(d);
        count();
        b_.step();
        count_steps();
        b_.step();
        flow(i, e);
        return;
      }
      b_.step();
      instruction(i, known);
      instructions::transfer(known, *function_.object, *function_.states, d);
    }
  }

  // --- instructions ---

  /// Steps are added up while a block is translated; the count is written where it is read, or where the block ends.
  void count() { ++uncounted_; }
  [[nodiscard]] Value steps() {
    const Value counted = b_.load(function_.steps, 0, kLong, 8);
    return uncounted_ == 0 ? counted : b_.binary(Binary::Add, counted, b_.constant(kLong, uncounted_));
  }
  void count_steps() {
    if (uncounted_ != 0) b_.store(function_.steps, 0, steps(), 8);
    uncounted_ = 0;
  }
  void store_steps() { b_.store(function_.context, offsetof(ThreadContext, steps), steps(), 8); }

  /// %ce0 and %tsc
  void refresh(const Decoded& d) {
    if (!d.reads_live) return;
    store_predefined(b_, function_, predefined::kCe0, 0, active_bits());
    const machine::VariablePlacement& tsc = *function_.object->layout.place(predefined::kTsc);
    if (const VariableStorage* storage = function_.storage(tsc.begin))
      b_.store(storage->pointer, std::int64_t{tsc.begin} - storage->base, steps(), 4);
  }

  void instruction(std::uint32_t i, const KnownValues& known) {
    const Decoded& d = code_[i];
    refresh(d);
    if (states_.late() && d.description->traits.operation == isa::ValueOperation::StateMove) return count();
    if (d.description->traits.barrier == isa::BarrierKind::Group) {
      ++counts_.emitted;
      count();
      b_.store(function_.context, offsetof(ThreadContext, waiting_at), number(i), 4);
      return wait(Result::Barrier);
    }
    function_.message = special_.images->at(i);
    function_.unmasked_writes = liveness_.unmasked_writes[i];
    function_.call_reference = [this, i, &known] { call_reference(i, known); };
    CodegenContext e(b_, function_, known, d);
    const machine::jit::Emitter emitter = d.execute != nullptr ? instructions::jit_of(*d.description) : nullptr;
    Block done;
    if (emitter != nullptr) done = guard(e);
    if (emitter != nullptr && emitter(e)) {
      ++counts_.emitted;
    } else {
      ++counts_.called;
      counts_.called_mnemonics.emplace_back(d.description->mnemonic);
      call_reference(i, known);
    }
    if (done) {
      b_.jump(done);
      b_.at(done);
    }
    count();
  }

  /// Addresses that may not point where they are thought to: then the reference engine executes the instruction.
  Block guard(CodegenContext& e) {
    Value good;
    for (unsigned o = 0; o < e.operand_count(); ++o) {
      if (e.operand(o).kind != OperandKind::Indirect) continue;
      const Value one = e.indirect_guard(e.operand(o));
      if (one) good = good ? b_.binary(Binary::And, good, one) : one;
    }
    if (!good) return {};
    const Block plain = b_.block("guarded"), rare = b_.block("astray"), done = b_.block("reached");
    b_.branch_unlikely(b_.binary(Binary::Xor, good, b_.constant({Element::Bool, 0}, 1)), rare, plain);
    b_.at(rare);
    function_.call_reference();
    b_.jump(done);
    b_.at(plain);
    return done;
  }

  /// Every variable that the instruction may see goes to the register file, what it may change comes back.
  void call_reference(std::uint32_t i, const KnownValues& known) {
    const Decoded& d = code_[i];
    std::vector<std::pair<VariableStorage*, bool>> variables;
    std::vector<std::pair<std::uint32_t, bool>> predicates;
    const auto note = [](auto& list, auto key, bool written) {
      for (auto& [k, w] : list)
        if (k == key) {
          w = w || written;
          return;
        }
      list.emplace_back(key, written);
    };
    for (unsigned o = 0; o < d.operand_count; ++o) {
      const Operand& operand = function_.object->operands[d.first_operand + o];
      const isa::Slot* slot = d.description->slot_of(o);
      const bool written = slot == nullptr || slot->access != isa::Access::Read;
      if (operand.kind == OperandKind::Predicate) note(predicates, operand.id, written);
      if (operand.null || (operand.kind != OperandKind::General && operand.kind != OperandKind::Raw)) continue;
      VariableStorage* storage = function_.storage(operand.root_begin);
      if (storage != nullptr && lies_apart(*storage)) note(variables, storage, written);
    }
    // An address without a variable of its own may point anywhere.
    for (unsigned o = 0; o < d.operand_count; ++o)
      if (function_.object->operands[d.first_operand + o].kind == OperandKind::Indirect)
        for (VariableStorage& storage : function_.variables)
          if (lies_apart(storage)) note(variables, &storage, true);
    if (d.predicate.present())
      note(predicates, static_cast<std::uint32_t>(d.predicate.id()), d.description->traits.predicate_written);
    if (d.reads_live)
      for (const std::uint32_t v : {predefined::kCe0, predefined::kTsc})
        if (VariableStorage* storage = function_.storage(function_.object->layout.place(v)->begin);
            lies_apart(*storage))
          note(variables, storage, false);
    for (const auto& [storage, written] : variables)
      b_.copy(function_.registers, storage->begin, storage->pointer, 0, storage->end - storage->begin);
    for (const auto& [id, written] : predicates)
      if (const LaneSet* set = predicate(id))
        b_.store(function_.predicate_file, std::int64_t{id} * 4, set->bits(b_, set->load(b_)), 4);
    states_.store_late(d, known);
    if (node(i).kind == FlowKind::Barrier) {
      store_steps();
      wait_if(run_reference(number(i)));
    } else if (special_.in_memory) {
      // There are many of them, which hardly ever run: what they have in common stands once.
      const auto site = static_cast<std::uint32_t>(behind_reference_.size());
      b_.store(reference_, 0, b_.constant(kLong, std::uint64_t{i} << 32 | site), 8);
      b_.store(reference_, 8, number(uncounted_), 4);
      b_.jump(common_reference_);
      b_.at(behind_reference_.emplace_back(b_.block("behind")));
    } else {
      store_steps();
      leave_if(run_reference(number(i)));
    }
    for (const auto& [storage, written] : variables)
      if (written) b_.copy(storage->pointer, 0, function_.registers, storage->begin, storage->end - storage->begin);
    for (const auto& [id, written] : predicates)
      if (const LaneSet* set = predicate(id); set != nullptr && written)
        set->store(b_, set->from_bits(b_, b_.load(function_.predicate_file, std::int64_t{id} * 4, kWord, 4)));
  }

  [[nodiscard]] Value run_reference(Value instruction) {
    threads_.say_which_thread();
    const std::array arguments{
        function_.context,        function_.registers, function_.addresses, function_.state_registers,
        function_.predicate_file, instruction,         active_bits()};
    return b_.call(kStep, arguments);
  }

  /// The calls of reference functions: in reference_ stand the site, the instruction, and its steps that are not
  /// counted yet.
  void common_reference() {
    b_.at(common_reference_);
    if (behind_reference_.empty()) return b_.jump(finish_);
    const Value counted = b_.load(function_.steps, 0, kLong, 8);
    const Value uncounted = b_.cast(Cast::ZExt, b_.load(reference_, 8, kWord, 4), kLong);
    b_.store(function_.context, offsetof(ThreadContext, steps), b_.binary(Binary::Add, counted, uncounted), 8);
    const Value result = run_reference(b_.load(reference_, 4, kWord, 4));
    const Block stop = b_.block("stop"), go_on = b_.block("on");
    b_.branch_unlikely(b_.compare(Compare::Ne, result, number(0)), stop, go_on);
    b_.at(stop);
    b_.leave(result);
    b_.at(go_on);
    std::vector<std::uint32_t> sites(behind_reference_.size());
    std::iota(sites.begin(), sites.end(), 0u);
    b_.choose(b_.load(reference_, 0, kWord, 4), sites, behind_reference_, finish_);
  }

  /// Whether the register file, where the reference engine looks for variables, has no place for it while the function
  /// runs.
  [[nodiscard]] bool lies_apart(const VariableStorage& storage) const { return storage.local && !special_.in_memory; }

  [[nodiscard]] const LaneSet* predicate(std::uint32_t id) const {
    return id < function_.predicates.size() && function_.predicates[id].storage ? &function_.predicates[id] : nullptr;
  }

  void leave(Value result) {
    store_steps();
    b_.leave(result);
  }
  void wait(Result how) {
    store_steps();
    b_.wait(number(static_cast<std::uint32_t>(how)));
  }
  /// Behind a barrier's reference function.
  void wait_if(Value result) {
    const Block waiting = b_.block("waiting"), other = b_.block("other"), passed = b_.block("passed");
    b_.branch(b_.compare(Compare::Eq, result, number(static_cast<std::uint32_t>(Result::Waiting))), waiting, other);
    b_.at(waiting);
    wait(Result::Waiting);
    b_.jump(passed);
    b_.at(other);
    leave_if(result);
    b_.jump(passed);
    b_.at(passed);
  }

  void leave_if(Value result) {
    const Block stop = b_.block("stop"), go_on = b_.block("on");
    b_.branch_unlikely(b_.compare(Compare::Ne, result, number(0)), stop, go_on);
    b_.at(stop);
    leave(result);
    b_.at(go_on);
  }

  void keep_registers() {
    for (const VariableStorage& storage : function_.variables)
      if (lies_apart(storage))
        b_.copy(function_.registers, storage.begin, storage.pointer, 0, storage.end - storage.begin);
    for (std::size_t p = 1; p < function_.predicates.size(); ++p)
      b_.store(function_.predicate_file, static_cast<std::int64_t>(p * 4),
               function_.predicates[p].bits(b_, function_.predicates[p].load(b_)), 4);
  }

  // --- control flow (instructions/flow/reference.cpp) ---

  /// Bool: the predicate of a branch of one lane.
  [[nodiscard]] Value holds(CodegenContext& e) { return b_.extract(e.predicated(), 0); }
  [[nodiscard]] Value taken(CodegenContext& e, const FlowNode& s) {
    if (s.always) return active();
    if (e.lanes() == 1) return b_.select(holds(e), active(), no_lane());
    return b_.binary(Binary::And, e.spread(e.enabled()), active());
  }

  /// A loop closes: a look at the budget.
  void jump_back(std::uint32_t target) {
    const Block due = b_.block("due"), go_on = b_.block("again");
    const Value granted = b_.load(function_.context, offsetof(ThreadContext, granted), kLong, 8);
    b_.branch_unlikely(b_.compare(Compare::Uge, steps(), granted), due, go_on);
    b_.at(due);
    store_steps();
    threads_.say_which_thread();
    leave_if(b_.call(kRefuel, std::array{function_.context}));
    b_.jump(go_on);
    b_.at(go_on);
    b_.jump(bodies_[target]);
  }

  /// All active lanes go to `target`.
  void jump_uniform(std::uint32_t i, std::uint32_t target) {
    if (target <= i) return jump_back(target);
    const std::uint32_t routine = node(i).routine;
    const std::uint32_t* between = graph_.next_wait(routine, i);
    if (between == nullptr || *between >= target) return b_.jump(enter(target));
    Value others;
    unsigned looked = 0;
    for (const std::uint32_t* p = between; p != nullptr && *p < target && looked <= 8;
         p = graph_.next_wait(routine, *p), ++looked) {
      const Value one = waiting_[*p].load(b_);
      others = others ? b_.binary(Binary::Or, others, one) : one;
    }
    const Block wait = b_.block("overtake");
    if (looked <= 8)
      b_.branch(any(others), wait, enter(target));
    else
      b_.jump(wait);
    b_.at(wait);
    add_waiting(target, active());
    set_active(no_lane());
    b_.jump(joins_[*between]);
  }

  void flow(std::uint32_t i, CodegenContext& e) {
    const FlowNode& s = node(i);
    switch (s.kind) {
      case FlowKind::Goto:
        return s.uniform ? go_uniform(i, e) : go_divergent(i, e);
      case FlowKind::Jump:
        return go_uniform(i, e);
      case FlowKind::Switch:
        return go_switch(i, e);
      case FlowKind::Call:
        return call(i, e);
      default:
        return give_back(i, e);
    }
  }

  void go_uniform(std::uint32_t i, CodegenContext& e) {
    const FlowNode& s = node(i);
    if (s.always) return jump_uniform(i, s.targets[0]);
    const Block jump = b_.block("jump");
    b_.branch(holds(e), jump, enter(i + 1));
    b_.at(jump);
    jump_uniform(i, s.targets[0]);
  }

  void go_divergent(std::uint32_t i, CodegenContext& e) {
    if (node(i).over_branch) return go_over(i, e);
    const std::uint32_t target = node(i).targets[0];
    const Value before = active(), leaving = taken(e, node(i));
    const Value rest = without(before, leaving);
    if (target > i) {
      add_waiting(target, leaving);
      set_active(rest);
      b_.branch(any(rest), enter(i + 1), look_further(i));
      return;
    }
    const Block back = b_.block("back");
    b_.branch(any(leaving), back, enter(i + 1));
    b_.at(back);
    add_waiting(i + 1, rest);
    set_active(leaving);
    jump_back(target);
  }

  /// The lanes that don't jump go to the target of the next branch, which counts as a step where there are any.
  void go_over(std::uint32_t i, CodegenContext& e) {
    const Value jumping = taken(e, node(i)), rest = without(active(), jumping);
    const Value counted = b_.load(function_.steps, 0, kLong, 8);
    b_.store(function_.steps, 0, b_.binary(Binary::Add, counted, b_.cast(Cast::ZExt, any(rest), kLong)), 8);
    add_waiting(node(i + 1).targets[0], rest);
    set_active(jumping);
    if (node(i + 2).wait) return b_.jump(joins_[i + 2]);
    b_.branch(any(jumping), bodies_[i + 2], look_further(i + 1));
  }

  void go_switch(std::uint32_t i, CodegenContext& e) {
    const FlowNode& s = node(i);
    const Value index = e.read_integer(e.source(0), 8);
    std::vector<std::uint32_t> cases;
    std::vector<Block> blocks;
    for (std::uint32_t t = 0; t < s.targets.size(); ++t) {
      cases.push_back(t);
      blocks.push_back(b_.block("case"));
    }
    const Value scalar = index ? b_.extract(index, 0) : b_.constant(kLong, 0);
    const Value high = b_.binary(Binary::LShr, scalar, b_.constant(kLong, 32));
    const Value word = b_.select(b_.compare(Compare::Eq, high, b_.constant(kLong, 0)),
                                 b_.cast(Cast::Trunc, scalar, kWord), number(0xffffffffu));
    b_.choose(word, cases, blocks, enter(i + 1));
    for (std::uint32_t t = 0; t < s.targets.size(); ++t) {
      b_.at(blocks[t]);
      jump_uniform(i, s.targets[t]);
    }
  }

  void call(std::uint32_t i, CodegenContext& e) {
    const FlowNode& s = node(i);
    const std::uint32_t routine = graph_.routine_at(s.targets[0]);
    const Routine& r = returns_[routine];
    const Value lanes = taken(e, s);
    const Block go = b_.block("call");
    if (s.always)
      b_.jump(go);
    else
      b_.branch(any(lanes), go, enter(i + 1));
    b_.at(go);
    r.outer.store(b_, active());
    b_.store(r.site, 0, number(i), 4);
    set_active(lanes);
    b_.jump(enter(s.targets[0]));
  }

  void give_back(std::uint32_t i, CodegenContext& e) {
    const FlowNode& s = node(i);
    if (s.ends) {
      set_active(no_lane());
      b_.jump(look_further(i));
      return;
    }
    const Value leaving = e.lanes() != 1 ? e.spread(e.enabled()) : taken(e, s);
    const Value rest = without(active(), leaving);
    set_active(rest);
    b_.branch(any(rest), enter(i + 1), look_further(i));
  }

  struct Routine {
    Block block;
    Value site;
    LaneSet outer;
  };
  Builder& b_;
  FunctionState& function_;
  const ControlFlowGraph& graph_;
  const KernelVariant& special_;
  const std::vector<Decoded>& code_;
  ThreadLoop threads_;
  StateVariables states_;
  ChoiceTranslator choices_;
  Block finish_;
  std::vector<Block> bodies_, joins_;
  Block common_reference_;
  Value reference_;
  std::vector<Block> behind_reference_;
  std::vector<LaneSet> waiting_;
  std::vector<Routine> returns_;
  Liveness liveness_;
  Counts counts_;
  std::uint64_t uncounted_ = 0;
};

}  // namespace

Counts translate(Builder& builder, FunctionState& function, const ControlFlowGraph& graph,
                 const KernelVariant& special) {
  return KernelTranslator(builder, function, graph, special).run();
}

}  // namespace heddle::engine::jit
