// SPDX-License-Identifier: MIT
#include "engine/jit/codegen/choices.hpp"

#include <algorithm>

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
using machine::jit::Unary;
using machine::jit::Value;

namespace {
constexpr machine::jit::VectorType kWord{Element::I32, 0}, kLong{Element::I64, 0};
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
  const Value handles = b_.binary(Binary::Add, elements, b_.constant({Element::I32, n}, loop.first_handle));
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
    if (i != loop.vote && !graph_.nodes[i].moves() && std::ranges::find(loop.lanes, i) == loop.lanes.end()) run(i);
  function_.active.store(b_, before);
  CodegenContext all(b_, function_, known, code[loop.compare]);
  function_.unmasked_writes = false;
  all.write_predicate(all.of_kind(OperandKind::Predicate)->id, b_.constant({Element::Bool, n}, 0));
  kernel_.forget_steps();
}

}  // namespace heddle::engine::jit
