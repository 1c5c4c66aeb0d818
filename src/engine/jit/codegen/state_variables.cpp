// SPDX-License-Identifier: MIT
#include "engine/jit/codegen/state_variables.hpp"

#include <algorithm>
#include <cstddef>

#include "instructions/jit_known_values.hpp"

namespace heddle::engine::jit {
namespace {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::Binary;
using machine::jit::Cast;
using machine::jit::Element;
using machine::jit::KnownValues;
using machine::jit::ThreadContext;
using machine::jit::Value;
using machine::jit::View;

constexpr std::uint32_t kNone = 0xffffffffu;
constexpr machine::jit::VectorType kWord{Element::I32, 0}, kLong{Element::I64, 0}, kPointer{Element::Pointer, 0};
constexpr std::size_t kMaxBound = 16;

bool moves_state(const Decoded& d) { return d.description->traits.operation == isa::ValueOperation::StateMove; }

}  // namespace

void StateVariables::look_ahead() {
  const std::vector<Decoded>& code = frame_.object->code;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (!graph_.nodes[i].leader || graph_.nodes[i].routine == kNone || !special_.known->at[i]) continue;
    KnownValues known = *special_.known->at[i];
    for (std::uint32_t k = i; k < code.size() && (k == i || !graph_.nodes[k].leader); ++k) {
      note(code[k], known, false);
      if (graph_.nodes[k].moves()) break;
      instructions::transfer(known, *frame_.object, *frame_.states, code[k]);
      if (moves_state(code[k])) note(code[k], known, true);
    }
  }
  load_bound();
}

void StateVariables::note(const Decoded& d, const KnownValues& known, bool behind) {
  for (unsigned o = 0; o < d.operand_count; ++o) {
    const Operand& operand = frame_.object->operands[d.first_operand + o];
    const bool is_state = operand.kind == OperandKind::State, is_sampler = operand.kind == OperandKind::Sampler;
    if (!is_state && !is_sampler && operand.kind != OperandKind::Surface) continue;
    late_ = late_ && (!is_state || moves_state(d));
    if (instructions::is_handle(operand)) {  // looked at while the program runs
      late_ = false;
      continue;
    }
    const bool surface = is_state ? operand.source->state == isa::StateClass::Surface : !is_sampler;
    for (unsigned k = 0; k < (is_state ? d.lanes : 1); ++k) {
      const std::uint32_t at = surface ? frame_.states->surface(operand.id, operand.element + k)
                                       : frame_.states->sampler(operand.id, operand.element + k);
      const bool is_known = at < known.states.size() && known.states[at];
      const bool written = is_state && d.destination == static_cast<int>(o);
      if (!is_known && written == behind) late_ = false;
      if (is_known && !is_state && surface && std::ranges::find(indices_, *known.states[at]) == indices_.end())
        indices_.push_back(*known.states[at]);
    }
  }
}

void StateVariables::load_bound() {
  for (const std::uint32_t index : indices_) {
    if (frame_.bound.size() == kMaxBound) return;
    const Value views = b_.load_fixed(frame_.context, offsetof(ThreadContext, views), kPointer, 8,
                                      {sizeof(View) * machine::jit::kViews});
    const std::int64_t at = static_cast<std::int64_t>(sizeof(View)) *
                            (index < machine::jit::kViews ? index : machine::kBtiBindless);  // as target_of_index
    frame_.bound.push_back({index, b_.load_fixed(views, at + offsetof(View, data), kPointer, 8),
                            b_.load_fixed(views, at + offsetof(View, size), kWord, 4)});
  }
}

void StateVariables::load(Value payload) {
  const machine::StateIndex& states = *frame_.states;
  const KnownValues& known = special_.known->initial;
  if (late_) return;
  for (std::uint32_t at = 0; at < known.states.size(); ++at)
    b_.fill(frame_.state_registers, std::int64_t{at} * 8, 8, 4);
  const auto defined = b_.constant(kLong, std::uint64_t{1} << 32);
  for (const isa::Input& input : frame_.object->object->inputs) {
    if (input.kind() == isa::InputKind::General) continue;
    for (std::uint32_t e = 0; e < input.size / 4; ++e) {
      const std::uint32_t at =
          input.kind() == isa::InputKind::Surface ? states.surface(input.id, e) : states.sampler(input.id, e);
      if (at == machine::StateIndex::kNone) break;
      const Value from = input.offset < special_.own_bytes || special_.own_bytes == 0
                             ? payload
                             : b_.load_fixed(frame_.context, offsetof(ThreadContext, shared), kPointer, 8);
      const Value word = b_.load(from, std::int64_t{input.offset} + 4 * e, kWord, 1);
      b_.store(frame_.state_registers, std::int64_t{at} * 8,
               b_.binary(Binary::Or, b_.cast(Cast::ZExt, word, kLong), defined), 4);
    }
  }
  for (std::uint32_t at = 0; at < known.states.size(); ++at) store(known, at);
}

void StateVariables::store_late(const Decoded& message, const KnownValues& known) {
  for (unsigned o = 0; o < message.operand_count && late_; ++o) {
    const Operand& operand = frame_.object->operands[message.first_operand + o];
    const bool surface = operand.kind == OperandKind::Surface;
    if (!surface && operand.kind != OperandKind::Sampler) continue;
    const std::uint32_t at = surface ? frame_.states->surface(operand.id, operand.element)
                                     : frame_.states->sampler(operand.id, operand.element);
    if (at != machine::StateIndex::kNone && at < known.states.size()) store(known, at);
  }
}

void StateVariables::store(const KnownValues& known, std::uint32_t at) {
  if (const auto& value = known.states[at])
    b_.store(frame_.state_registers, std::int64_t{at} * 8, b_.constant(kLong, std::uint64_t{1} << 32 | *value), 4);
}

}  // namespace heddle::engine::jit
