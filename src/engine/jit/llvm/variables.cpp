// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/variables.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace heddle::engine::jit {
namespace {

constexpr const char* kHold = "heddle_hold";

std::vector<llvm::AllocaInst*> variables_of(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> all;
  for (llvm::Instruction& i : function.getEntryBlock())
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i)) all.push_back(variable);
  return all;
}

/// The one block of all users but `except`; null: there are several, or none.
const llvm::BasicBlock* only_block(const llvm::Instruction& pointer, const llvm::Instruction* except) {
  const llvm::BasicBlock* block = nullptr;
  llvm::SmallVector<const llvm::Instruction*, 8> open{&pointer};
  while (!open.empty())
    for (const llvm::User* user : open.pop_back_val()->users()) {
      const auto* i = llvm::cast<llvm::Instruction>(user);
      if (i == except) continue;
      if (block != nullptr && i->getParent() != block) return nullptr;
      block = i->getParent();
      if (llvm::isa<llvm::GetElementPtrInst>(i)) open.push_back(i);
    }
  return block;
}

/// The store of zeros, in a block of its own choice, that clears the whole variable.
llvm::MemSetInst* clearing_of(const llvm::AllocaInst& variable, std::uint64_t bytes) {
  llvm::MemSetInst* found = nullptr;
  for (const llvm::User* user : variable.users())
    if (auto* clear = llvm::dyn_cast<llvm::MemSetInst>(const_cast<llvm::User*>(user))) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(clear->getLength());
      if (found != nullptr || length == nullptr || length->getZExtValue() != bytes) return nullptr;
      found = clear;
    }
  return found;
}

}  // namespace

void drop_needless_clearing(llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  for (llvm::AllocaInst* variable : variables_of(kernel)) {
    const std::uint64_t bytes = variable->getAllocationSize(layout)->getFixedValue();
    llvm::MemSetInst* clear = clearing_of(*variable, bytes);
    const llvm::BasicBlock* block = clear != nullptr ? only_block(*variable, clear) : nullptr;
    if (block == nullptr || block == clear->getParent()) continue;
    const llvm::Instruction* first = nullptr;
    for (const llvm::User* user : variable->users()) {
      const auto* i = llvm::cast<llvm::Instruction>(user);
      if (i != clear && (first == nullptr || i->comesBefore(first))) first = i;
    }
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(first);
    if (store != nullptr && store->getPointerOperand() == variable && store->getValueOperand() != variable &&
        layout.getTypeStoreSize(store->getValueOperand()->getType()) == bytes)
      clear->eraseFromParent();
  }
}

void hold_shared_variables(llvm::Function& kernel, unsigned most_uses) {
  llvm::Module& module = *kernel.getParent();
  llvm::IRBuilder<> b(kernel.getEntryBlock().getTerminator());
  const llvm::FunctionCallee hold = module.getOrInsertFunction(kHold, b.getVoidTy(), b.getPtrTy());
  for (llvm::AllocaInst* variable : variables_of(kernel))
    if (!variable->use_empty() && !variable->hasNUsesOrMore(most_uses + 1) && only_block(*variable, nullptr) == nullptr)
      b.CreateCall(hold, {variable});
}

void release_variables(llvm::Function& kernel) {
  llvm::Function* hold = kernel.getParent()->getFunction(kHold);
  if (hold == nullptr) return;
  while (!hold->user_empty()) llvm::cast<llvm::Instruction>(hold->user_back())->eraseFromParent();
  hold->eraseFromParent();
}

}  // namespace heddle::engine::jit
