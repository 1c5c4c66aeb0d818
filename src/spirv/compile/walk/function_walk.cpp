// SPDX-License-Identifier: MIT
// Blocks, calls, instructions.
// Rules: SPV-1, SPV-5 to SPV-7, SPV-17, SPV-18.
#include "spirv/compile/walk/function_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

#include "base/fixed_limits.hpp"
#include "spirv/compile/walk/float_controls.hpp"
#include "spirv/compile/walk/handlers.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

void FunctionWalk::run() {
  has_lines_ = std::ranges::any_of(t_.module.instructions, [](const Instruction& i) { return i.source_line != 0; });
  CallFrame frame;
  frame.return_label = t_.b.label("shader_end");
  end_label_ = frame.return_label;
  body(t_.functions.of(t_.entry.function), frame);
  if (frame.return_used || end_used_) t_.b.place(end_label_);
}

// --- functions and blocks ---

void FunctionWalk::body(const Function& f, CallFrame& frame) {
  frame.function = &f;
  const CallFrame* const outer = frame_;
  frame_ = &frame;
  t_.function = &f;
  name_blocks(f, frame);
  for (std::size_t n = 0; n < f.order.size() && !t_.report.stopped(); ++n) block(f, frame, n);
  frame_ = outer;
  t_.function = outer == nullptr ? nullptr : outer->function;
}

/// A label for each block but the first, named after the block or its place in the construct around it; then the
/// variables of its phis.
void FunctionWalk::name_blocks(const Function& f, CallFrame& frame) {
  std::unordered_map<std::uint32_t, std::string_view> roles;
  for (const std::uint32_t label : f.order) {
    const Function::BasicBlock& block = f.blocks.at(label);
    const auto op = static_cast<Spv>(t_.module.instructions[block.last].opcode);
    if (block.continue_target != 0) {
      roles[label] = "loop";
      roles[block.continue_target] = "loop_next";
      roles[block.merge] = "loop_end";
    } else if (block.merge != 0) {
      for (const std::uint32_t s : block.successors)
        roles.emplace(s, op == Spv::OpSwitch ? "case" : s == block.successors.front() ? "then" : "else");
      roles[block.merge] = op == Spv::OpSwitch ? "switch_end" : "endif";
    }
  }
  for (const std::uint32_t label : f.order) {
    if (label != f.entry)
      frame.labels[label] = t_.b.label(t_.annotations.name_of(label, roles.count(label) != 0 ? roles[label] : "block"));
    declare_phis(f, label);
  }
}

/// Phis are variables that the blocks before write.
void FunctionWalk::declare_phis(const Function& f, std::uint32_t label) {
  for (const std::size_t k : f.blocks.at(label).phis) {
    const Instruction& i = t_.module.instructions[k];
    t_.at = &i;
    Value v;
    v.type = i.type;
    const TypeInfo& type = t_.types.of(i.type);
    if (type.op == static_cast<std::uint16_t>(Spv::OpTypePointer) && type.flat == 0)
      t_.refuse("a choice between pointers is not supported");
    else
      v.parts = *t_.variables.storage(i.type, t_.annotations.name_of(i.result, "phi"));
    t_.values.set(i.result, std::move(v));
  }
}

/// Block `n` of a function's order.
void FunctionWalk::block(const Function& f, CallFrame& frame, std::size_t n) {
  const std::uint32_t label = f.order[n];
  const Function::BasicBlock& block = f.blocks.at(label);
  if (label != f.entry) t_.b.place(frame.labels[label]);
  frame.written.insert(label);
  for (std::size_t k = block.first; k < block.last && !t_.report.stopped(); ++k) instruction(t_.module.instructions[k]);
  if (t_.report.stopped()) return;
  if (t_.b.instructions() > base::kCompiledInstructions) {
    t_.report.limit(t_.module.instructions[block.first],
                    fmt::format("the program would have more than {} instructions", base::kCompiledInstructions));
    t_.report.stop();
    return;
  }
  const Instruction& last = t_.module.instructions[block.last];
  t_.at = &last;
  t_.b.set_origin(static_cast<std::uint32_t>(block.last));
  source_line(last);
  terminate(last, frame, label, n + 1 < f.order.size() ? f.order[n + 1] : 0);
}

void FunctionWalk::call(const Instruction& i) {
  const Function& callee = t_.functions.of(i.operands[0]);
  work_ += 1 + callee.block_of.size();
  if (depth_ >= 64 || t_.b.instructions() > base::kCompiledInstructions || work_ > 4 * base::kCompiledInstructions) {
    t_.report.limit(i, "calls make the program longer than the compiler allows");
    t_.report.stop();
    return;
  }
  for (std::size_t k = 0; k < callee.parameters.size() && k + 1 < i.operands.size(); ++k)
    t_.values.set(callee.parameters[k], Value(t_.values.unread(i.operands[k + 1])));
  CallFrame frame;
  frame.return_label = t_.b.label(t_.annotations.name_of(callee.id, "function") + "_end");
  if (i.type != 0 && t_.types.of(i.type).flat != 0)
    frame.returned = t_.variables.storage(i.type, t_.annotations.name_of(callee.id, "result") + "_result");
  const auto home = frame_->function->block_of.find(static_cast<std::size_t>(&i - t_.module.instructions.data()));
  frame.in_loop = frame_->in_loop ||
                  (home != frame_->function->block_of.end() && frame_->function->blocks.at(home->second).in_loop);
  ++depth_;
  body(callee, frame);
  --depth_;
  if (frame.return_used) t_.b.place(frame.return_label);
  t_.at = &i;
  if (i.result != 0 && frame.returned != nullptr) t_.set(*frame.returned);
}

// --- instructions ---

/// The place that the next lines of text are made from. An assembly without lines of its own is the source itself.
void FunctionWalk::source_line(const Instruction& i) {
  if (has_lines_) {
    if (i.source_line == 0) return;
    if (i.source_file != last_file_id_ || last_file_.empty()) {
      last_file_id_ = i.source_file;
      last_file_ = t_.module.source_file(i);
      if (last_file_.empty()) last_file_ = t_.module.file;
    }
    t_.b.source_line(last_file_, i.source_line, i.source_column);
  } else if (i.line != 0) {
    t_.b.source_line(t_.module.file, i.line, i.column);
  }
}

void FunctionWalk::set_zeros(const Instruction& i) {
  std::vector<Part> parts;
  for (const isa::Type scalar : t_.types.scalars(i.type)) parts.push_back(constant(scalar, 0));
  t_.set(std::move(parts));
}

/// What is no table's: instructions without a trace in the text, and those of the walk itself. False: it is another.
bool FunctionWalk::without_handler(const Instruction& i) {
  switch (static_cast<Spv>(i.opcode)) {
    case Spv::OpLine:
    case Spv::OpNoLine:
    case Spv::OpName:
    case Spv::OpNop:
    case Spv::OpLabel:
    case Spv::OpUndef:
    case Spv::OpSelectionMerge:
    case Spv::OpLoopMerge:
    case Spv::OpPhi:
      return true;
    case Spv::OpFunctionCall:
      source_line(i);
      call(i);
      return true;
    case Spv::OpDemoteToHelperInvocation:
      source_line(i);
      t_.lanes.discard();
      return true;
    case Spv::OpIsHelperInvocationEXT: {
      const Part helper = t_.b.predicate("helper");
      t_.b.op("not", helper, {t_.lanes.live().predicate});
      t_.set({helper});
      return true;
    }
    default:
      return false;
  }
}

/// Instructions that take no value apart.
bool FunctionWalk::may_stay_in_memory(const Instruction& i) {
  const auto op = static_cast<Spv>(i.opcode);
  if (op == Spv::OpLoad) return true;
  if (op != Spv::OpCopyObject && op != Spv::OpCopyLogical && op != Spv::OpCompositeExtract) return false;
  const Value* from = i.operands.empty() ? nullptr : t_.values.computed(i.operands[0]);
  return from != nullptr && from->block != nullptr;
}

void FunctionWalk::instruction(const Instruction& i) {
  t_.at = &i;
  t_.b.set_origin(static_cast<std::uint32_t>(&i - t_.module.instructions.data()));
  if (without_handler(i)) return;
  source_line(i);
  if (i.result != 0 && i.type != 0 && t_.types.of(i.type).flat > base::kValueScalars && !may_stay_in_memory(i)) {
    t_.refuse(fmt::format("a value of more than {} scalars", base::kValueScalars));
    t_.values.set(i.result, {i.type, {}, nullptr, nullptr, nullptr, false});
    return;
  }
  translate_by_handler(i);
}

void FunctionWalk::translate_by_handler(const Instruction& i) {
  const Handler handler = find_handler(i.opcode);
  if (handler == nullptr) {
    t_.refuse("this instruction is not supported");
    if (i.result != 0) set_zeros(i);
    return;
  }
  t_.b.round_to_zero(rounds_to_zero(t_, i));
  t_.descriptors.by_element(t_.descriptors.indexed_arrays(i), [&] { handler(t_); });
  flush_result(t_, i);
  if (i.result != 0 && t_.values.computed(i.result) == nullptr) set_zeros(i);
}

}  // namespace heddle::spirv::compiler
