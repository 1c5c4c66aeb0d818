// Functions: order of blocks, branches, phis. Structured control flow becomes gotos: lanes that branch forward wait at
// their label for the others (visa 11), so blocks are written such that only loops jump backwards.
// Rules: SPV-1, SPV-5 to SPV-7, SPV-18.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "spirv/compile/module/functions.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

/// Id operands of an instruction, as far as values of functions are concerned (literals that happen to equal an id do
/// no harm here).
void for_each_id(const Instruction& i, const std::function<void(std::uint32_t)>& use) {
  for (const std::uint32_t word : i.operands) use(word);
}

bool is_merge(const Instruction& i) {
  return static_cast<Spv>(i.opcode) == Spv::OpSelectionMerge || static_cast<Spv>(i.opcode) == Spv::OpLoopMerge;
}

bool is_terminator(Spv op) {
  switch (op) {
    case Spv::OpBranch:
    case Spv::OpBranchConditional:
    case Spv::OpSwitch:
    case Spv::OpReturn:
    case Spv::OpReturnValue:
    case Spv::OpKill:
    case Spv::OpTerminateInvocation:
    case Spv::OpUnreachable:
      return true;
    default:
      return false;
  }
}

/// Result may be (part of) an operand, unchanged.
bool may_forward(Spv op) {
  const auto n = static_cast<unsigned>(op);
  if (n >= 126 && n <= 205 && op != Spv::OpSelect) return false;  // arithmetic, logic, comparison, bits
  switch (op) {
    case Spv::OpStore:
    case Spv::OpReturnValue:
    case Spv::OpBranchConditional:
    case Spv::OpSwitch:
    case Spv::OpImageWrite:
    case Spv::OpDPdx:
    case Spv::OpDPdy:
    case Spv::OpFwidth:
      return false;
    default:
      return true;
  }
}

}  // namespace

const ShaderTranslator::Function& ShaderTranslator::function(std::uint32_t id) {
  std::unique_ptr<Function>& slot = functions_[id];
  if (slot != nullptr) return *slot;
  slot = std::make_unique<Function>();
  Function& f = *slot;
  f.id = id;
  const auto start = module.definition.find(id);
  if (start == module.definition.end()) return f;
  Function::BasicBlock* block = nullptr;
  for (std::size_t k = start->second + 1; k < module.instructions.size(); ++k) {
    const Instruction& i = module.instructions[k];
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunctionEnd) break;
    if (op == Spv::OpFunctionParameter) {
      f.parameters.push_back(i.result);
      continue;
    }
    if (op == Spv::OpLabel) {
      if (f.entry == 0) f.entry = i.result;
      block = &f.blocks[i.result];
      block->label = i.result;
      block->first = k + 1;
      continue;
    }
    if (block == nullptr) continue;
    f.block_of[k] = block->label;
    for_each_id(i, [&](std::uint32_t used) { f.uses[used].push_back(k); });
    if (is_merge(i)) {
      block->merge = i.operands[0];
      if (op == Spv::OpLoopMerge) block->continue_target = i.operands[1];
    }
    if (op == Spv::OpPhi) block->phis.push_back(k);
    if (!is_terminator(op)) continue;
    block->last = k;
    if (op == Spv::OpBranch) block->successors = {i.operands[0]};
    if (op == Spv::OpBranchConditional) block->successors = {i.operands[1], i.operands[2]};
    if (op == Spv::OpSwitch) {
      const TypeInfo& selector = type(module.type_of(i.operands[0]));
      const std::size_t width = selector.bits > 32 ? 2 : 1;
      for (std::size_t c = 2; c + width < i.operands.size(); c += width + 1)
        block->successors.push_back(i.operands[c + width]);
      block->successors.push_back(i.operands[1]);
    }
    block = nullptr;
  }
  arrange(f);
  return f;
}

/// Reverse postorder, in which what a construct merges into is visited first, so that it comes last, and loops stay in
/// one piece.
void ShaderTranslator::arrange(Function& f) const {
  std::set<std::uint32_t> seen;
  struct Step {
    std::uint32_t label;
    std::vector<std::uint32_t> next;
    std::size_t done = 0;
  };
  std::vector<Step> stack;
  const auto enter = [&](std::uint32_t label) {
    const auto found = f.blocks.find(label);
    if (found == f.blocks.end() || found->second.last == 0 || !seen.insert(label).second) return;
    const Function::BasicBlock& block = found->second;
    Step step{label, {}, 0};
    if (block.merge != 0) step.next.push_back(block.merge);
    if (block.continue_target != 0) step.next.push_back(block.continue_target);
    for (auto s = block.successors.rbegin(); s != block.successors.rend(); ++s) step.next.push_back(*s);
    stack.push_back(std::move(step));
  };
  enter(f.entry);
  while (!stack.empty()) {
    Step& top = stack.back();
    if (top.done < top.next.size()) {
      const std::uint32_t label = top.next[top.done++];
      enter(label);
    } else {
      f.order.push_back(top.label);
      stack.pop_back();
    }
  }
  std::reverse(f.order.begin(), f.order.end());
  // Constructs around each block: a header opens one, its merge block closes it.
  struct Construct {
    std::uint32_t merge;
    bool loop;
  };
  std::vector<Construct> open;
  for (const std::uint32_t label : f.order) {
    while (std::any_of(open.begin(), open.end(), [&](const Construct& c) { return c.merge == label; })) open.pop_back();
    Function::BasicBlock& block = f.blocks.at(label);
    block.in_loop =
        block.continue_target != 0 || std::any_of(open.begin(), open.end(), [](const Construct& c) { return c.loop; });
    if (!open.empty() && !open.back().loop) block.joins = open.back().merge;
    if (block.merge != 0) open.push_back({block.merge, block.continue_target != 0});
  }
}

void ShaderTranslator::body(const Function& f, CallFrame& frame) {
  frame.function = &f;
  const CallFrame* const outer = frame_;
  frame_ = &frame;
  std::unordered_map<std::uint32_t, std::string_view> roles;
  for (const std::uint32_t label : f.order) {
    const Function::BasicBlock& block = f.blocks.at(label);
    const auto op = static_cast<Spv>(module.instructions[block.last].opcode);
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
      frame.labels[label] = b.label(name_of(label, roles.count(label) != 0 ? roles[label] : "block"));
    // Phis are variables that the blocks before write.
    for (const std::size_t k : f.blocks.at(label).phis) {
      const Instruction& i = module.instructions[k];
      at = &i;
      Value v;
      v.type = i.type;
      if (type(i.type).op == static_cast<std::uint16_t>(Spv::OpTypePointer) && type(i.type).flat == 0)
        refuse("a choice between pointers is not supported");
      else
        v.parts = *new_storage(i.type, name_of(i.result, "phi"));
      set(i.result, std::move(v));
    }
  }
  for (std::size_t n = 0; n < f.order.size() && !stopped_; ++n) {
    const std::uint32_t label = f.order[n];
    const Function::BasicBlock& block = f.blocks.at(label);
    if (label != f.entry) b.place(frame.labels[label]);
    frame.written.insert(label);
    for (std::size_t k = block.first; k < block.last && !stopped_; ++k) instruction(module.instructions[k]);
    if (stopped_) break;
    if (b.instructions() > base::kCompiledInstructions) {
      diagnostics.add(base::limit_error(
          "compile-limit", fmt::format("the program would have more than {} instructions", base::kCompiledInstructions),
          module.place(module.instructions[block.first])));
      stopped_ = true;
      break;
    }
    const Instruction& last = module.instructions[block.last];
    at = &last;
    b.set_origin(static_cast<std::uint32_t>(block.last));
    source_line(last);
    terminate(last, frame, label, n + 1 < f.order.size() ? f.order[n + 1] : 0);
  }
  frame_ = outer;
}

/// Copies for the phis of block `to` on the edge from block `from`: all are read before any is written.
void ShaderTranslator::phi_moves(const CallFrame& frame, std::uint32_t from, std::uint32_t to, const Guard& guard) {
  const auto found = frame.function->blocks.find(to);
  if (found == frame.function->blocks.end()) return;
  struct Move {
    Part dst, src;
  };
  std::vector<Move> moves;
  std::set<std::uint32_t> written;
  for (const std::size_t k : found->second.phis) {
    const Instruction& phi = module.instructions[k];
    for (std::size_t o = 0; o + 1 < phi.operands.size(); o += 2) {
      if (phi.operands[o + 1] != from) continue;
      const std::vector<Part> dst = value(phi.result).parts, sources = value(phi.operands[o]).parts;
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
      if (move.src.kind == Part::Kind::Variable) move.src = b.copy(move.src, "phi_value");
    break;
  }
  for (const Move& move : moves) b.move(move.dst, move.src, guard);
}

/// To a block that is not the next one in the text.
void ShaderTranslator::go(const CallFrame& frame, std::uint32_t label, std::uint32_t next) {
  const auto name = frame.labels.find(label);
  if (label != next && name != frame.labels.end()) b.jump(name->second);
}

void ShaderTranslator::branch_conditional(const Instruction& i, CallFrame& frame, std::uint32_t block,
                                          std::uint32_t next) {
  const std::uint32_t yes = i.operands[1], no = i.operands[2];
  const Part condition = part(i.operands[0]);
  if (yes == no || condition.constant()) {
    const std::uint32_t taken = yes == no || condition.bits != 0 ? yes : no;
    phi_moves(frame, block, taken, {});
    go(frame, taken, next);
    return;
  }
  const Part p = b.to_predicate(condition);
  phi_moves(frame, block, yes, {p, false, false});
  phi_moves(frame, block, no, {p, true, false});
  if (yes == next) {
    b.jump(frame.labels[no], {p, true, false});
  } else {
    b.jump(frame.labels[yes], {p, false, false});
    go(frame, no, next);
  }
}

void ShaderTranslator::branch_switch(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next) {
  Part selector = part(i.operands[0]);
  const TypeInfo& info = type(module.type_of(i.operands[0]));
  const std::size_t width = info.bits > 32 ? 2 : 1;
  if (selector.constant()) selector = b.copy(selector, "selector");
  for (std::size_t c = 2; c + width < i.operands.size(); c += width + 1) {
    const std::uint64_t literal = width == 2 ? i.operands[c] | std::uint64_t{i.operands[c + 1]} << 32 : i.operands[c];
    const std::uint32_t target = i.operands[c + width];
    const Part p = b.compare("eq", selector, constant(selector.type, literal), "is_case");
    phi_moves(frame, block, target, {p, false, false});
    b.jump(frame.labels[target], {p, false, false});
  }
  phi_moves(frame, block, i.operands[1], {});
  go(frame, i.operands[1], next);
}

void ShaderTranslator::end_invocation(const CallFrame& frame, std::uint32_t block, std::uint32_t next) {
  if (stage != isa::ShaderStage::Fragment) {
    refuse("only fragment shaders discard");
    return;
  }
  discard();
  const std::uint32_t join = demotes_to(frame, block);
  if (join == 0) {
    end_used_ = true;
    b.jump(end_label);
    return;
  }
  if (killed_.kind != Part::Kind::Variable) {
    killed_ = b.lanes(isa::Type::D, "killed");
    b.at_start([&] { b.op("mov", killed_, {constant(isa::Type::D, 0)}, {{}, false, true}); });
  }
  b.move(killed_, constant(isa::Type::D, 0xffffffffu));
  // What comes after is the same for all that is visible, but the quad's derivatives stay defined.
  for (const std::size_t k : frame.function->blocks.at(join).phis)
    for (const Part& part : value(module.instructions[k].result).parts) b.move(part, constant(part.type, 0));
  go(frame, join, next);
}

void ShaderTranslator::terminate(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next) {
  if (killed_.kind == Part::Kind::Variable) {
    const std::vector<std::uint32_t>& to = frame.function->blocks.at(block).successors;
    if (std::any_of(to.begin(), to.end(), [&](std::uint32_t label) { return frame.written.contains(label); }))
      end_killed();
  }
  const auto leave = [&] {
    if (next == 0) return;  // falls to the end
    frame.return_used = true;
    b.jump(frame.return_label);
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
      if (frame.returned != nullptr) {
        const std::vector<Part> parts = value(i.operands[0]).parts;
        for (std::size_t c = 0; c < frame.returned->size() && c < parts.size(); ++c)
          if (parts[c].kind != Part::Kind::Undefined) b.move((*frame.returned)[c], parts[c]);
      }
      leave();
      return;
    case Spv::OpReturn:
      leave();
      return;
    case Spv::OpKill:
    case Spv::OpTerminateInvocation:
      end_invocation(frame, block, next);
      return;
    default:  // OpUnreachable
      end_used_ = true;
      b.jump(end_label);
      return;
  }
}

/// Where a discarding block may go on as helper lanes: to the end of the selection around it. Not out of loops (they
/// might not end), and not where lanes can see which others are there.
std::uint32_t ShaderTranslator::demotes_to(const CallFrame& frame, std::uint32_t block) const {
  const Function::BasicBlock& b0 = frame.function->blocks.at(block);
  if (frame.in_loop || b0.in_loop || b0.joins == 0 || frame.labels.count(b0.joins) == 0) return 0;
  for (const Instruction& i : module.instructions)
    if (static_cast<Spv>(i.opcode) == Spv::OpCapability && i.operands[0] >= 61 && i.operands[0] <= 68)
      return 0;  // GroupNonUniform...
  const Function::BasicBlock& join = frame.function->blocks.at(b0.joins);
  return static_cast<Spv>(module.instructions[join.last].opcode) == Spv::OpUnreachable ? 0 : b0.joins;
}

/// Before a loop repeats: when none but killed lanes are left in it, they end, since what they compute may never leave.
void ShaderTranslator::end_killed() {
  const Part left = b.predicate("left"), bits = b.array(isa::Type::UD, "left_bits", 1);
  b.clear_predicate(left);
  b.op("cmp.eq", left, {killed_, constant(isa::Type::D, 0)});
  b.instruction("mov", kOneLane, {b.destination(bits, kOneLane), b.name(left)}, every_lane());
  const Part none = b.compare("eq", bits, ud(0), "none_left");
  end_used_ = true;
  b.jump(end_label, {none, false, false});
}

std::uint32_t ShaderTranslator::root_of(std::uint32_t pointer) const {
  for (int depth = 0; depth < 64; ++depth) {
    const Instruction* i = module.find(pointer);
    if (i == nullptr || i->operands.empty()) return pointer;
    switch (static_cast<Spv>(i->opcode)) {
      case Spv::OpAccessChain:
      case Spv::OpInBoundsAccessChain:
      case Spv::OpPtrAccessChain:
      case Spv::OpInBoundsPtrAccessChain:
      case Spv::OpCopyObject:
      case Spv::OpImageTexelPointer:
        pointer = i->operands[0];
        break;
      default:
        return pointer;
    }
  }
  return pointer;
}

/// Variables and parameters that some access chain indexes by a value that is no constant, calls followed.
void ShaderTranslator::find_dynamic() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arguments;  // parameter, root of the argument
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> parameters;
  std::uint32_t function = 0;
  for (const Instruction& i : module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunction) function = i.result;
    if (op == Spv::OpFunctionParameter) parameters[function].push_back(i.result);
  }
  for (const Instruction& i : module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpAccessChain || op == Spv::OpInBoundsAccessChain || op == Spv::OpPtrAccessChain) {
      for (std::size_t k = 1; k < i.operands.size(); ++k)
        if (!declared_constant(i.operands[k])) dynamic_.insert(root_of(i.operands[0]));
    } else if (op == Spv::OpFunctionCall && !i.operands.empty()) {
      const auto& list = parameters[i.operands[0]];
      for (std::size_t k = 0; k < list.size() && k + 1 < i.operands.size(); ++k)
        arguments.emplace_back(list[k], root_of(i.operands[k + 1]));
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [parameter, argument] : arguments)
      if (dynamic_.count(parameter) != 0 && dynamic_.insert(argument).second) changed = true;
  }
}

bool ShaderTranslator::may_alias(const Pointer& pointer) const {
  const auto storage = static_cast<spv::StorageClass>(pointer.storage_class);
  if (storage == spv::StorageClass::Input) return true;
  if (frame_ == nullptr || at == nullptr) return false;
  const Function& f = *frame_->function;
  const std::size_t load = static_cast<std::size_t>(at - module.instructions.data());
  const auto home = f.block_of.find(load);
  if (home == f.block_of.end()) return false;
  // The last place where the value, or something that may be a part of it, is read.
  std::size_t last = load;
  std::vector<std::uint32_t> pending{at->result};
  for (unsigned budget = 64; !pending.empty();) {
    if (budget-- == 0) return false;
    const std::uint32_t id = pending.back();
    pending.pop_back();
    const auto uses = f.uses.find(id);
    if (uses == f.uses.end()) continue;
    for (const std::size_t k : uses->second) {
      const auto where = f.block_of.find(k);
      if (where == f.block_of.end() || where->second != home->second) return false;
      const Instruction& use = module.instructions[k];
      const auto op = static_cast<Spv>(use.opcode);
      if (op == Spv::OpFunctionCall || op == Spv::OpPhi) return false;
      last = std::max(last, k);
      if (may_forward(op) && use.result != 0) pending.push_back(use.result);
    }
  }
  if (last - load > 4096) return false;  // the search must not take longer than the copy
  for (std::size_t k = load + 1; k < last; ++k) {
    const Instruction& i = module.instructions[k];
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunctionCall) return false;
    if (op == Spv::OpStore || op == Spv::OpCopyMemory) {
      const std::uint32_t root = root_of(i.operands[0]);
      const Instruction* target = module.find(root);
      if (root == pointer.root || target == nullptr || static_cast<Spv>(target->opcode) != Spv::OpVariable)
        return false;
      if (depth_ != 0 && static_cast<Spv>(target->opcode) != Spv::OpVariable) return false;
    }
    if (op == Spv::OpExtInst)
      for (const std::uint32_t operand : i.operands) {  // modf and frexp write to a pointer
        const std::uint32_t root = root_of(operand);
        const Instruction* target = module.find(root);
        if (root == pointer.root || (target != nullptr && static_cast<Spv>(target->opcode) == Spv::OpFunctionParameter))
          return false;
      }
  }
  return true;
}

}  // namespace heddle::spirv::compiler
