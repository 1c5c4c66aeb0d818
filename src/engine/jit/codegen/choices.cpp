// SPDX-License-Identifier: MIT
#include "engine/jit/codegen/choices.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "instructions/data_port/jit_chosen.hpp"
#include "instructions/jit_known_values.hpp"

namespace heddle::engine::jit {

using isa::OperandKind;
using machine::jit::Binary;
using machine::jit::Block;
using machine::jit::Cast;
using machine::jit::CodegenContext;
using machine::jit::Compare;
using machine::jit::Element;
using machine::jit::KnownValues;
using machine::jit::SharedCall;
using machine::jit::Unary;
using machine::jit::Value;

namespace {
constexpr machine::jit::VectorType kWord{Element::I32, 0}, kLong{Element::I64, 0}, kPointer{Element::Pointer, 0};
}

void ChoiceTranslator::find(unsigned simd) {
  loops_ = find_choice_loops(*function_.object, graph_, simd, [this](std::uint32_t i) {
    const machine::jit::MessageUse* const use = kernel_.message(i);
    return use != nullptr && !use->apart.empty();
  });
}

/// All lanes at once, where it is known what their handles name and they are not all alike; the code then stands
/// where they are not.
void ChoiceTranslator::choose_at_once(const ChoiceLoop& loop, const KnownValues& known) {
  const std::vector<machine::Decoded>& code = function_.object->code;
  CodegenContext compare(b_, function_, known, code[loop.compare]), read(b_, function_, known, code[loop.reads[0]]);
  const unsigned n = read.lanes();
  const Value elements = compare.read_integer(compare.source(0), 4), enabled = read.enabled();
  for (const std::uint32_t i : loop.reads) {
    CodegenContext one(b_, function_, known, code[i]);
    if (!instructions::jit_memory::can_read_chosen(one)) return;
  }
  if (!elements) return;
  const Block differ = b_.block("differ"), there = b_.block("chosen"), loops = b_.block("one_by_one");
  const Value alike = b_.compare(Compare::Eq, elements, b_.splat(b_.extract(elements, 0), n));
  b_.branch(is_all(alike, enabled), loops, differ);
  b_.at(differ);
  const Value handles = b_.binary(Binary::Add, elements, b_.constant({Element::I32, n}, *loop.first_surface));
  const auto chosen = instructions::jit_memory::chosen_by_handles(read, handles, enabled);
  const Value some = b_.compare(Compare::Ne, b_.bits_of_mask(enabled), b_.constant(kWord, 0));
  b_.branch(b_.binary(Binary::And, is_all(chosen.known, enabled), some), there, loops);
  b_.at(there);
  function_.chosen = chosen.bytes;
  for (const std::uint32_t i : loop.lanes) kernel_.instruction(i, known);
  function_.chosen = {};
  kernel_.forget_steps();
  leave_last_round(loop, known, handles, enabled);
  b_.jump(kernel_.enter(loop.steps.back() + 1));
  b_.at(loops);
}

/// Lanes whose images differ in nothing but where they lie share a call, whatever handles they have. The code then
/// stands where the lanes have one handle, or some of them have an image that nobody can share.
void ChoiceTranslator::share_calls(const ChoiceLoop& loop, const KnownValues& known) {
  const std::vector<machine::Decoded>& code = function_.object->code;
  CodegenContext compare(b_, function_, known, code[loop.compare]);
  const unsigned n = compare.lanes();
  const Value elements = compare.read_integer(compare.source(0), 4);
  if (!elements) return;
  CodegenContext read(b_, function_, known, code[loop.reads[0]]);
  const Value enabled = read.enabled();
  const Block differ = b_.block("differ"), next = b_.block("next"), found = b_.block("shared"),
              done = b_.block("all_shared"), loops = b_.block("one_by_one");
  const Value alike = b_.compare(Compare::Eq, elements, b_.splat(b_.extract(elements, 0), n));
  b_.branch(is_all(alike, enabled), loops, differ);
  b_.at(differ);
  const Value kept = b_.storage(n * 4, 64, "elements"), rest = b_.storage(4, 4, "unshared"),
              shared = b_.storage(sizeof(SharedCall), 64, "shared");
  b_.store(kept, 0, elements, 4);
  b_.store(rest, 0, b_.bits_of_mask(enabled), 4);
  std::size_t step = 0;
  for (; loop.lanes[step] != loop.reads[0]; ++step) kernel_.instruction(loop.lanes[step], known);
  b_.jump(next);
  b_.at(next);
  const auto word = [&](std::optional<std::uint32_t> first) {  // of the state file
    return b_.constant(kLong, first ? std::uint64_t{1} << 32 | *first : 0);
  };
  const Value lanes = b_.load(rest, 0, kWord, 4);
  const Value call = b_.call({"heddle_jit_shared_message", kPointer, true},
                             std::array{function_.context, b_.constant(kWord, kernel_.message(loop.reads[0])->slot),
                                        kept, word(loop.first_surface), word(loop.first_sampler), lanes, shared});
  b_.branch_unlikely(b_.compare(Compare::Eq, call, b_.constant(kPointer, 0)), loops, found);
  b_.at(found);
  if (!share_call(loop, known, call, shared)) {  // nothing of the message has been emitted
    kernel_.forget_steps();
    b_.jump(loops);
    b_.at(loops);
    return;
  }
  const Value left = b_.binary(
      Binary::And, lanes,
      b_.binary(Binary::Xor, b_.load(shared, offsetof(SharedCall, lanes), kWord, 4), b_.constant(kWord, ~0u)));
  b_.store(rest, 0, left, 4);
  b_.branch(b_.compare(Compare::Ne, left, b_.constant(kWord, 0)), next, done);
  b_.at(done);
  for (++step; step < loop.lanes.size(); ++step) kernel_.instruction(loop.lanes[step], known);
  kernel_.forget_steps();
  const std::uint32_t first = loop.first_surface.value_or(loop.first_sampler.value_or(0));
  leave_last_round(loop, known, b_.binary(Binary::Add, elements, b_.constant({Element::I32, n}, first)), enabled);
  b_.jump(kernel_.enter(loop.steps.back() + 1));
  b_.at(loops);
}

/// The message of the lanes that share a call.
bool ChoiceTranslator::share_call(const ChoiceLoop& loop, const KnownValues& known, Value call, Value shared) {
  CodegenContext e(b_, function_, known, function_.object->code[loop.reads[0]]);
  const unsigned n = e.lanes();
  const Value before = function_.active.load(b_);
  function_.active.store(b_, e.spread(b_.mask_of_bits(b_.load(shared, offsetof(SharedCall, lanes), kWord, 4), n)));
  function_.message = kernel_.message(loop.reads[0]);
  function_.unmasked_writes = false;  // lanes of other calls have theirs
  function_.message_call = call;
  function_.apart = b_.load(shared, offsetof(SharedCall, apart), {Element::I32, n}, 4);
  const bool good = function_.message->message->emit(e);
  function_.apart = {};
  function_.active.store(b_, before);
  return good;
}

/// Whether a mask holds all enabled lanes.
Value ChoiceTranslator::is_all(Value mask, Value enabled) {
  return b_.compare(Compare::Eq, b_.bits_of_mask(b_.binary(Binary::And, mask, enabled)), b_.bits_of_mask(enabled));
}

/// The steps of a round for each handle, and everything as the last one leaves it: its lanes are those with the
/// handle of the last lane that has one of its own.
void ChoiceTranslator::leave_last_round(const ChoiceLoop& loop, const KnownValues& known, Value handles,
                                        Value enabled) {
  const std::vector<machine::Decoded>& code = function_.object->code;
  CodegenContext e(b_, function_, known, code[loop.compare]);
  const unsigned n = e.lanes();
  const Value bits =
      b_.bits_of_mask(b_.binary(Binary::And, enabled, instructions::jit_memory::first_of_each(b_, handles, enabled)));
  const Value rounds = b_.binary(Binary::Mul, b_.cast(Cast::ZExt, b_.unary(Unary::Popcount, bits), kLong),
                                 b_.constant(kLong, loop.steps.size()));
  b_.store(function_.steps, 0, b_.binary(Binary::Add, b_.load(function_.steps, 0, kLong, 8), rounds), 8);
  const Value kept = b_.storage(n * 4, 64, "handles");
  b_.store(kept, 0, handles, 4);
  const Value last = b_.binary(Binary::Sub, b_.constant(kWord, 31), b_.unary(Unary::LeadingZeros, bits));
  const Value at = b_.binary(Binary::Mul, b_.cast(Cast::ZExt, last, kLong), b_.constant(kLong, 4));
  const Value handle = b_.load(b_.offset(kept, at), 0, kWord, 4);
  const Value before = function_.active.load(b_);
  KnownValues behind = known;
  const auto run = [&](std::uint32_t i) {
    kernel_.instruction(i, behind);
    instructions::transfer(behind, *function_.object, *function_.states, code[i]);
  };
  run(loop.vote);
  function_.active.store(
      b_, e.spread(b_.binary(Binary::And, enabled, b_.compare(Compare::Eq, handles, b_.splat(handle, n)))));
  for (const std::uint32_t i : loop.steps)
    if (i != loop.vote && i != loop.compare && !graph_.nodes[i].moves() &&
        std::ranges::find(loop.lanes, i) == loop.lanes.end())
      run(i);  // what the comparison writes follows
  function_.active.store(b_, before);
  CodegenContext all(b_, function_, known, code[loop.compare]);
  function_.unmasked_writes = false;
  all.write_predicate(all.of_kind(OperandKind::Predicate)->id, b_.constant({Element::Bool, n}, 0));
  kernel_.forget_steps();
}

}  // namespace heddle::engine::jit
