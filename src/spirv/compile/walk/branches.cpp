// SPDX-License-Identifier: MIT
// Branches, phis, and lanes that end.
// Rules: MSH-2, SPV-5 to SPV-7, SPV-18.
#include <algorithm>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/walk/function_walk.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

/// Copies for the phis of block `to` on the edge from block `from`: all are read before any is written.
void FunctionWalk::phi_moves(const CallFrame& frame, std::uint32_t from, std::uint32_t to, const Guard& guard) {
  const auto found = frame.function->blocks.find(to);
  if (found == frame.function->blocks.end()) return;
  struct Move {
    Part dst, src;
  };
  std::vector<Move> moves;
  std::set<std::uint32_t> written;
  for (const std::size_t k : found->second.phis) {
    const Instruction& phi = t_.module.instructions[k];
    for (std::size_t o = 0; o + 1 < phi.operands.size(); o += 2) {
      if (phi.operands[o + 1] != from) continue;
      const std::vector<Part> dst = t_.values.of(phi.result).parts, sources = t_.values.of(phi.operands[o]).parts;
      for (unsigned c = 0; c < dst.size(); ++c) {
        Part src = sources.size() > c ? sources[c] : Part{};
        if (src.kind == Part::Kind::Undefined) continue;
        if (src.kind == dst[c].kind && src.variable == dst[c].variable && src.offset == dst[c].offset &&
            !src.constant())
          continue;
        moves.push_back({dst[c], src});
      }
      break;
    }
  }
  for (std::size_t m = 0; m < moves.size(); ++m) {
    const bool overwritten = moves[m].src.kind == Part::Kind::Variable && written.contains(moves[m].src.variable);
    written.insert(moves[m].dst.variable);
    if (!overwritten) continue;
    for (Move& move : moves)
      if (move.src.kind == Part::Kind::Variable) move.src = t_.b.copy(move.src, "phi_value");
    break;
  }
  for (const Move& move : moves) t_.b.move(move.dst, move.src, guard);
}

/// To a block that is not the next one in the text.
void FunctionWalk::go(const CallFrame& frame, std::uint32_t label, std::uint32_t next) {
  const auto name = frame.labels.find(label);
  if (label != next && name != frame.labels.end()) t_.b.jump(name->second);
}

void FunctionWalk::branch_conditional(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next) {
  const std::uint32_t yes = i.operands[1], no = i.operands[2];
  const Part condition = t_.values.part(i.operands[0]);
  if (yes == no || condition.constant()) {
    const std::uint32_t taken = yes == no || condition.bits != 0 ? yes : no;
    phi_moves(frame, block, taken, {});
    go(frame, taken, next);
    return;
  }
  const Part p = t_.b.to_predicate(condition);
  phi_moves(frame, block, yes, {p, false, false});
  phi_moves(frame, block, no, {p, true, false});
  if (yes == next) {
    t_.b.jump(frame.labels[no], {p, true, false});
  } else {
    t_.b.jump(frame.labels[yes], {p, false, false});
    go(frame, no, next);
  }
}

void FunctionWalk::branch_switch(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next) {
  Part selector = t_.values.part(i.operands[0]);
  const TypeInfo& info = t_.types.of(t_.module.type_of(i.operands[0]));
  const std::size_t width = info.bits > 32 ? 2 : 1;
  if (selector.constant()) selector = t_.b.copy(selector, "selector");
  for (std::size_t c = 2; c + width < i.operands.size(); c += width + 1) {
    const std::uint64_t literal = width == 2 ? i.operands[c] | std::uint64_t{i.operands[c + 1]} << 32 : i.operands[c];
    const std::uint32_t target = i.operands[c + width];
    const Part p = t_.b.compare("eq", selector, constant(selector.type, literal), "is_case");
    phi_moves(frame, block, target, {p, false, false});
    t_.b.jump(frame.labels[target], {p, false, false});
  }
  phi_moves(frame, block, i.operands[1], {});
  go(frame, i.operands[1], next);
}

void FunctionWalk::end_invocation(const CallFrame& frame, std::uint32_t block, std::uint32_t next) {
  if (t_.entry.stage != isa::ShaderStage::Fragment) {
    t_.refuse("only fragment shaders discard");
    return;
  }
  t_.lanes.discard();
  const std::uint32_t join = demotes_to(frame, block);
  if (join == 0) {
    end_used_ = true;
    t_.b.jump(end_label_);
    return;
  }
  if (killed_.kind != Part::Kind::Variable) {
    killed_ = t_.b.lanes(isa::Type::D, "killed");
    t_.b.at_start([&] { t_.b.op("mov", killed_, {constant(isa::Type::D, 0)}, {{}, false, true}); });
  }
  t_.b.move(killed_, constant(isa::Type::D, 0xffffffffu));
  // What comes after is the same for all that is visible, but the quad's derivatives stay defined.
  for (const std::size_t k : frame.function->blocks.at(join).phis)
    for (const Part& part : t_.values.of(t_.module.instructions[k].result).parts)
      t_.b.move(part, constant(part.type, 0));
  go(frame, join, next);
}

void FunctionWalk::return_value(const Instruction& i, const CallFrame& frame) {
  if (frame.returned == nullptr) return;
  const std::vector<Part> parts = t_.values.of(i.operands[0]).parts;
  for (std::size_t c = 0; c < frame.returned->size() && c < parts.size(); ++c)
    if (parts[c].kind != Part::Kind::Undefined) t_.b.move((*frame.returned)[c], parts[c]);
}

void FunctionWalk::terminate(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next) {
  if (killed_.kind == Part::Kind::Variable) {
    const std::vector<std::uint32_t>& to = frame.function->blocks.at(block).successors;
    if (std::any_of(to.begin(), to.end(), [&](std::uint32_t label) { return frame.written.contains(label); }))
      end_killed();
  }
  const auto leave = [&] {
    if (next == 0) return;  // falls to the end
    frame.return_used = true;
    t_.b.jump(frame.return_label);
  };
  switch (static_cast<Spv>(i.opcode)) {
    case Spv::OpBranch:
      phi_moves(frame, block, i.operands[0], {});
      go(frame, i.operands[0], next);
      return;
    case Spv::OpBranchConditional:
      branch_conditional(i, frame, block, next);
      return;
    case Spv::OpSwitch:
      branch_switch(i, frame, block, next);
      return;
    case Spv::OpReturnValue:
      return_value(i, frame);
      leave();
      return;
    case Spv::OpReturn:
      leave();
      return;
    case Spv::OpKill:
    case Spv::OpTerminateInvocation:
      end_invocation(frame, block, next);
      return;
    case Spv::OpEmitMeshTasksEXT:
      emit_mesh_tasks(i, next);
      return;
    default:  // OpUnreachable
      end_used_ = true;
      t_.b.jump(end_label_);
      return;
  }
}

/// MSH-2: the end of a task shader.
void FunctionWalk::emit_mesh_tasks(const Instruction& i, std::uint32_t next) {
  if (!t_.emission.mesh_groups || i.operands.size() < 3) return t_.refuse("only task shaders emit mesh tasks");
  t_.emission.mesh_groups(
      {t_.values.part(i.operands[0]), t_.values.part(i.operands[1]), t_.values.part(i.operands[2])});
  if (depth_ == 0 && next == 0) return;  // falls to the end
  end_used_ = true;
  t_.b.jump(end_label_);
}

/// Where a discarding block may go on as helper lanes: to the end of the selection around it. Not out of loops (they
/// might not end), and not where lanes can see which others are there.
std::uint32_t FunctionWalk::demotes_to(const CallFrame& frame, std::uint32_t block) const {
  const Function::BasicBlock& b0 = frame.function->blocks.at(block);
  if (frame.in_loop || b0.in_loop || b0.joins == 0 || frame.labels.count(b0.joins) == 0) return 0;
  for (const Instruction& i : t_.module.instructions)
    if (static_cast<Spv>(i.opcode) == Spv::OpCapability && i.operands[0] >= 61 && i.operands[0] <= 68)
      return 0;  // GroupNonUniform...
  const Function::BasicBlock& join = frame.function->blocks.at(b0.joins);
  return static_cast<Spv>(t_.module.instructions[join.last].opcode) == Spv::OpUnreachable ? 0 : b0.joins;
}

/// Before a loop repeats: when none but killed lanes are left in it, they end, since what they compute may never leave.
void FunctionWalk::end_killed() {
  const Part left = t_.b.predicate("left"), bits = t_.b.array(isa::Type::UD, "left_bits", 1);
  t_.b.clear_predicate(left);
  t_.b.op("cmp.eq", left, {killed_, constant(isa::Type::D, 0)});
  t_.b.instruction("mov", kOneLane, {t_.b.destination(bits, kOneLane), t_.b.name(left)}, every_lane());
  const Part none = t_.b.compare("eq", bits, ud(0), "none_left");
  end_used_ = true;
  t_.b.jump(end_label_, {none, false, false});
}

}  // namespace heddle::spirv::compiler
