// SPDX-License-Identifier: MIT
// Rules: SPV-1, SPV-5 to SPV-7, SPV-18.
#include "spirv/compile/module/functions.hpp"

#include <algorithm>
#include <functional>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

#include "spirv/compile/module/constants.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

/// Id operands of an instruction, as far as values of functions are concerned
/// (literals that happen to equal an id do no harm here).
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
    case Spv::OpEmitMeshTasksEXT:
    case Spv::OpUnreachable:
      return true;
    default:
      return false;
  }
}

/// Reverse postorder, in which what a construct merges into is visited first,
/// so that it comes last, and loops stay in one range.
void arrange(Function& f) {
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
  // Constructs around each block: a header opens one, its merge block closes
  // it.
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

}  // namespace

Functions::Functions(const Module& module, Types& types) : module_(module), types_(types) { find_dynamic(); }

const Function& Functions::of(std::uint32_t id) {
  std::unique_ptr<Function>& slot = functions_[id];
  if (slot == nullptr) {
    slot = std::make_unique<Function>();
    slot->id = id;
    if (module_.definition.contains(id)) {
      read(*slot);
      arrange(*slot);
    }
  }
  return *slot;
}

void Functions::read(Function& f) const {
  const auto start = module_.definition.find(f.id);
  Function::BasicBlock* block = nullptr;
  for (std::size_t k = start->second + 1; k < module_.instructions.size(); ++k) {
    const Instruction& i = module_.instructions[k];
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
      const TypeInfo& selector = types_.of(module_.type_of(i.operands[0]));
      const std::size_t width = selector.bits > 32 ? 2 : 1;
      for (std::size_t c = 2; c + width < i.operands.size(); c += width + 1)
        block->successors.push_back(i.operands[c + width]);
      block->successors.push_back(i.operands[1]);
    }
    block = nullptr;
  }
}

/// The instructions of a function, its OpFunction first; none where the id is
/// not defined.
std::span<const Instruction> Functions::instructions_of(std::uint32_t function) const {
  const auto start = module_.definition.find(function);
  if (start == module_.definition.end()) return {};
  const std::span<const Instruction> rest = std::span(module_.instructions).subspan(start->second);
  const auto end = std::ranges::find(rest, static_cast<std::uint16_t>(Spv::OpFunctionEnd), &Instruction::opcode);
  return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

/// Ids of the functions that one reaches, its own among them.
std::set<std::uint32_t> Functions::reachable(std::uint32_t first) const {
  std::set<std::uint32_t> functions{first};
  std::vector<std::uint32_t> pending{first};
  while (!pending.empty()) {
    const std::uint32_t function = pending.back();
    pending.pop_back();
    for (const Instruction& i : instructions_of(function))
      if (static_cast<Spv>(i.opcode) == Spv::OpFunctionCall && functions.insert(i.operands[0]).second)
        pending.push_back(i.operands[0]);
  }
  return functions;
}

std::set<std::uint32_t> Functions::words_used_by(std::uint32_t first) const {
  std::set<std::uint32_t> words;
  for (const std::uint32_t function : reachable(first))
    for (const Instruction& i : instructions_of(function)) words.insert(i.operands.begin(), i.operands.end());
  return words;
}

const Instruction* Functions::first_ray_query(std::uint32_t first) const {
  if (std::none_of(module_.instructions.begin(), module_.instructions.end(),
                   [](const Instruction& i) { return static_cast<Spv>(i.opcode) == Spv::OpTypeRayQueryKHR; }))
    return nullptr;
  for (const std::uint32_t function : reachable(first))
    for (const Instruction& i : instructions_of(function))
      if (opcode_name(i.opcode).starts_with("OpRayQuery")) return &i;
  return nullptr;
}

std::uint32_t Functions::root_of(std::uint32_t pointer) const {
  for (int depth = 0; depth < 64; ++depth) {
    const Instruction* i = module_.find(pointer);
    if (i == nullptr || i->operands.empty()) return pointer;
    switch (static_cast<Spv>(i->opcode)) {
      case Spv::OpAccessChain:
      case Spv::OpInBoundsAccessChain:
      case Spv::OpPtrAccessChain:
      case Spv::OpInBoundsPtrAccessChain:
      case Spv::OpCopyObject:
      case Spv::OpBitcast:
      case Spv::OpImageTexelPointer:
        pointer = i->operands[0];
        break;
      default:
        return pointer;
    }
  }
  return pointer;
}

/// Variables and parameters that some access chain indexes by a value that is
/// no constant, calls followed.
void Functions::find_dynamic() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arguments;  // parameter, root of the argument
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> parameters;
  std::uint32_t function = 0;
  for (const Instruction& i : module_.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunction) function = i.result;
    if (op == Spv::OpFunctionParameter) parameters[function].push_back(i.result);
  }
  for (const Instruction& i : module_.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpAccessChain || op == Spv::OpInBoundsAccessChain || op == Spv::OpPtrAccessChain) {
      for (std::size_t k = 1; k < i.operands.size(); ++k)
        if (!is_constant(module_, i.operands[k])) dynamic_.insert(root_of(i.operands[0]));
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

namespace {

/// The operands through which an instruction may write to a variable or hand its address on.
std::span<const std::uint32_t> written_operands(const Instruction& i) {
  const std::span<const std::uint32_t> all = i.operands;
  const auto op = static_cast<Spv>(i.opcode);
  switch (op) {
    case Spv::OpLoad:
    case Spv::OpAccessChain:
    case Spv::OpInBoundsAccessChain:
    case Spv::OpCompositeExtract:
    case Spv::OpCompositeInsert:
    case Spv::OpVectorShuffle:
    case Spv::OpBranchConditional:
    case Spv::OpSwitch:
    case Spv::OpSelectionMerge:
    case Spv::OpLoopMerge:
    case Spv::OpLine:
      return {};
    case Spv::OpStore:
      return all.first(std::min<std::size_t>(2, all.size()));
    case Spv::OpCopyMemory:
      return all.first(std::min<std::size_t>(1, all.size()));
    case Spv::OpExtInst:
    case Spv::OpFunctionCall:
      return all.subspan(std::min<std::size_t>(1, all.size()));
    default:
      return op >= Spv::OpSampledImage && op <= Spv::OpImageQuerySamples ? std::span<const std::uint32_t>() : all;
  }
}

}  // namespace

/// What is done to variables by other instructions than loads.
void Functions::find_writes() {
  writes_known_ = true;
  bool in_function = false;
  for (const Instruction& i : module_.instructions) {
    in_function = in_function || static_cast<Spv>(i.opcode) == Spv::OpFunction;
    if (!in_function) continue;
    const std::span<const std::uint32_t> operands = written_operands(i);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const std::uint32_t root = root_of(operands[k]);
      const Instruction* variable = module_.find(root);
      if (variable == nullptr || static_cast<Spv>(variable->opcode) != Spv::OpVariable) continue;
      Writes& writes = writes_[root];
      if (static_cast<Spv>(i.opcode) != Spv::OpStore || k != 0 || root != operands[0])
        writes.others = true;
      else if (++writes.stores == 1)
        writes.value = operands[1];
    }
  }
}

std::uint32_t Functions::only_constant(const Instruction& variable) {
  if (!writes_known_) find_writes();
  const auto found = writes_.find(variable.result);
  const std::uint32_t initial = variable.operands.size() > 1 ? variable.operands[1] : 0;
  if (found == writes_.end()) return initial;
  if (found->second.others || found->second.stores > 1 || (found->second.stores == 1 && initial != 0)) return 0;
  const std::uint32_t value = found->second.stores == 1 ? found->second.value : initial;
  return is_constant(module_, value) ? value : 0;
}

}  // namespace heddle::spirv::compiler
