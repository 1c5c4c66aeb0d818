// SPDX-License-Identifier: MIT
#include "engine/jit/codegen/variable_storage.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace heddle::engine::jit {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::Builder;
using machine::jit::Element;
using machine::jit::FunctionState;
using machine::jit::ThreadContext;
using machine::jit::Value;
using machine::jit::VariableStorage;
namespace predefined = machine::predefined;

namespace {
constexpr std::uint32_t kNone = 0xffffffffu;
constexpr machine::jit::VectorType kWord{Element::I32, 0};
/// Variables up to this size live in the function, where they become machine registers.
constexpr std::uint32_t kLocalBytes = 1024;
/// ... and all of them together up to this size, because what does not become a register is on the stack.
constexpr std::uint32_t kAllLocalBytes = 768 * 1024;

}  // namespace

void allocate_variables(Builder& b, FunctionState& function, const ControlFlowGraph& graph, bool in_memory) {
  const machine::PreparedObject& object = *function.object;
  // How often each size of element is used decides what a variable's elements are.
  std::vector<std::array<std::uint32_t, 4>> uses;
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    if (function.storage(begin) == nullptr || function.storage(begin)->begin != begin) {
      const auto at = std::ranges::lower_bound(function.variables, begin, {}, &VariableStorage::begin);
      function.variables.insert(at, VariableStorage{begin, end});
    }
  };
  for (std::uint32_t i = 0; i < function.object->code.size(); ++i) {
    if (graph.nodes[i].routine == kNone) continue;
    const Decoded& d = function.object->code[i];
    for (unsigned o = 0; o < d.operand_count; ++o) {
      const Operand& operand = object.operands[d.first_operand + o];
      if (operand.null || (operand.kind != OperandKind::General && operand.kind != OperandKind::Raw &&
                           operand.kind != OperandKind::AddressOf))
        continue;
      add(operand.root_begin, operand.root_end);
    }
    if (d.reads_live)
      for (const std::uint32_t v : {predefined::kCe0, predefined::kTsc}) {
        const machine::VariablePlacement& place = *object.layout.place(v);
        add(place.root_begin, place.root_end);
      }
  }
  const machine::VariablePlacement& control = *object.layout.place(predefined::kCr0);
  add(control.root_begin, control.root_end);
  for (VariableStorage& storage : function.variables) {
    storage.used = true;
    storage.local = storage.end - storage.begin <= kLocalBytes && storage.begin != control.root_begin;
  }
  uses.resize(function.variables.size());
  for (std::uint32_t i = 0; i < function.object->code.size(); ++i) {
    if (graph.nodes[i].routine == kNone) continue;
    const Decoded& d = function.object->code[i];
    for (unsigned o = 0; o < d.operand_count; ++o) {
      const Operand& operand = object.operands[d.first_operand + o];
      if (operand.null) continue;
      if (operand.kind == OperandKind::AddressOf) function.storage(operand.root_begin)->local = false;
      if (operand.kind != OperandKind::General && operand.kind != OperandKind::Raw) continue;
      const auto index = static_cast<std::size_t>(function.storage(operand.root_begin) - function.variables.data());
      const unsigned log = static_cast<unsigned>(__builtin_ctz(operand.size == 0 ? 1u : operand.size));
      ++uses[index][std::min(log, 3u)];
    }
  }
  std::uint32_t total = 0;
  for (std::size_t h = 0; h < function.variables.size(); ++h) {
    VariableStorage& storage = function.variables[h];
    const std::uint32_t bytes = storage.end - storage.begin;
    if (storage.local) total += bytes;
    storage.local = storage.local && total <= kAllLocalBytes;
    unsigned best = 2;
    for (unsigned log = 0; log < 4; ++log)
      if (uses[h][log] > uses[h][best]) best = log;
    while (bytes % (1u << best) != 0) --best;
    storage.natural = machine::jit::integer_of(1u << best);
    if (storage.local && !in_memory) {
      storage.pointer = b.storage(bytes, 64, fmt::format("v{}", storage.begin));
      storage.base = storage.begin;
    } else {
      storage.pointer = function.registers;
      storage.base = 0;
    }
  }
}

void store_predefined(Builder& b, FunctionState& function, std::uint32_t variable, std::uint32_t offset, Value value) {
  const machine::VariablePlacement& place = *function.object->layout.place(variable);
  const VariableStorage* storage = function.storage(place.begin);
  if (storage != nullptr && storage->begin == place.root_begin)
    b.store(storage->pointer, std::int64_t{place.begin} + offset - storage->base, value, 4);
}

namespace {
/// Inputs up to this size are loaded as one vector.
constexpr std::uint32_t kVectorBytes = 256;
}  // namespace

void load_inputs(Builder& b, FunctionState& function, Value payload) {
  const machine::PreparedObject& object = *function.object;
  const auto copy = [&](const machine::VariablePlacement& place, std::uint32_t from, std::uint32_t size) {
    const VariableStorage* storage = function.storage(place.begin);
    if (storage == nullptr || storage->begin != place.root_begin) return;
    const std::uint32_t bytes = std::min(size, place.root_end - place.begin);
    const std::int64_t at = std::int64_t{place.begin} - storage->base;
    if (function.own_bytes == 0) return b.copy(storage->pointer, at, payload, from, bytes);
    const bool own = from < function.own_bytes;
    const Value source = own ? payload
                             : b.load_fixed(function.context, offsetof(ThreadContext, shared), {Element::Pointer, 0}, 8,
                                            {machine::jit::kSharedBytes});
    std::uint32_t width = machine::jit::element_bits(storage->natural) / 8;
    while (bytes % width != 0) width /= 2;
    if (bytes <= kVectorBytes)
      b.store(storage->pointer, at, b.load_fixed(source, from, {machine::jit::integer_of(width), bytes / width}, 1), 1);
    else
      b.copy(storage->pointer, at, source, from, bytes);
    using machine::kGroupPlaces;  // where word d of ThreadContext::group stands for the payload's
    for (std::uint32_t d = 0; d < 3; ++d)
      if (own && kGroupPlaces[d] >= from && kGroupPlaces[d] + 4 <= from + bytes)
        b.store(storage->pointer, at + kGroupPlaces[d] - from,
                d == 0 ? b.load(function.group, 0, kWord, 4)
                       : b.load_fixed(function.context, offsetof(ThreadContext, group) + 4 * d, kWord, 4),
                1);
  };
  const machine::VariablePlacement& r0 = *object.layout.place(predefined::kR0);
  copy(r0, 0, r0.root_end - r0.begin);
  const auto start = [&](std::uint32_t in_record, std::uint32_t in_context) {
    return function.own_bytes != 0 ? b.load_fixed(payload, function.own_bytes + in_record, kWord, 4)
                                   : b.load(function.context, in_context, kWord, 4);
  };
  store_predefined(b, function, predefined::kSr0, 0, start(0, offsetof(ThreadContext, state0)));
  store_predefined(b, function, predefined::kHwId, 0, start(4, offsetof(ThreadContext, hardware_id)));
  store_predefined(b, function, predefined::kSr0, 8,
                   b.load(function.context, offsetof(ThreadContext, dispatch_mask), kWord, 4));
  store_predefined(b, function, predefined::kCr0, 0, b.constant(kWord, machine::kInitialCr0));
  for (const isa::Input& input : object.object->inputs)
    if (input.kind() == isa::InputKind::General)
      if (const machine::VariablePlacement* place = object.layout.place(input.id))
        copy(*place, input.offset, input.size);
}

}  // namespace heddle::engine::jit
