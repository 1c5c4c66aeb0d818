// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/waits.hpp"

#include <cstddef>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "machine/jit/context.hpp"

namespace heddle::engine::jit {
namespace {

using machine::jit::ThreadContext;

/// A place where the function returns, and the block behind it.
struct Wait {
  llvm::CallInst* call = nullptr;
  llvm::BasicBlock* behind = nullptr;
};

class WaitLowering {
 public:
  explicit WaitLowering(llvm::Function& kernel) : kernel_(kernel), layout_(kernel.getParent()->getDataLayout()) {}

  llvm::Function& run() {
    for (llvm::Instruction& i : llvm::instructions(kernel_))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i))
        if (const llvm::Function* callee = call->getCalledFunction();
            callee != nullptr && callee->getName() == kWaitMark)
          waits_.push_back({call, nullptr});
    if (waits_.empty()) return kernel_;
    make_body();
    divide();
    copy_addresses();
    make_again();
    keep_values();
    keep_storage();
    make_switch();
    make_entry();
    return *body_;
  }

 private:
  /// The kernel's blocks in a function of their own, which has the frame as its last argument.
  void make_body() {
    std::vector<llvm::Type*> types;
    for (const llvm::Argument& argument : kernel_.args()) types.push_back(argument.getType());
    types.push_back(llvm::PointerType::get(kernel_.getContext(), 0));
    body_ = llvm::Function::Create(llvm::FunctionType::get(kernel_.getReturnType(), types, false),
                                   llvm::Function::InternalLinkage, "heddle_waiting", kernel_.getParent());
    body_->setAttributes(kernel_.getAttributes());
    body_->setDoesNotThrow();
    body_->addFnAttr(llvm::Attribute::NoInline);
    frame_ = body_->getArg(body_->arg_size() - 1);
    frame_->addAttr(llvm::Attribute::NoAlias);
    frame_->addAttr(
        llvm::Attribute::getWithAlignment(kernel_.getContext(), llvm::Align(machine::jit::kFrameAlignment)));
    body_->splice(body_->begin(), &kernel_);
    for (llvm::Argument& argument : kernel_.args()) argument.replaceAllUsesWith(body_->getArg(argument.getArgNo()));
  }

  /// Every wait ends its block.
  void divide() {
    for (auto wait = waits_.rbegin(); wait != waits_.rend(); ++wait) {
      wait->behind = wait->call->getParent()->splitBasicBlock(wait->call->getNextNode(), "resumed");
      behind_.insert(wait->behind);
    }
    for (llvm::BasicBlock& block : *body_) numbers_[&block] = static_cast<unsigned>(numbers_.size());
    visited_.assign(numbers_.size(), 0);
  }

  /// The block at whose end, or in which, an instruction uses its operand.
  static llvm::BasicBlock* block_of(const llvm::Use& use) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use);
    return user->getParent();
  }

  /// Whether a value is used behind a wait that comes after its definition: walks from the uses back.
  bool crosses(llvm::Instruction& value) {
    ++round_;
    open_.clear();
    llvm::BasicBlock* home = value.getParent();
    const auto visit = [&](llvm::BasicBlock* block) {
      if (block == home || visited_[numbers_[block]] == round_) return false;
      visited_[numbers_[block]] = round_;
      open_.push_back(block);
      return behind_.contains(block);
    };
    for (const llvm::Use& use : value.uses())
      if (visit(block_of(use))) return true;
    while (!open_.empty()) {
      llvm::BasicBlock* block = open_.back();
      open_.pop_back();
      for (llvm::BasicBlock* before : llvm::predecessors(block))
        if (visit(before)) return true;
    }
    return false;
  }

  [[nodiscard]] std::uint64_t reserve(llvm::Type* type, std::uint64_t bytes, std::uint64_t alignment) {
    alignment = std::min<std::uint64_t>(std::max<std::uint64_t>(alignment, layout_.getPrefTypeAlign(type).value()),
                                        machine::jit::kFrameAlignment);
    bytes_ = (bytes_ + alignment - 1) / alignment * alignment;
    const std::uint64_t at = bytes_;
    bytes_ += bytes;
    return at;
  }
  [[nodiscard]] llvm::Value* place(llvm::IRBuilder<>& b, std::uint64_t at) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame_, at);
  }

  /// Addresses in the function's storage and in what its arguments point to are made where they are used: behind a wait
  /// the storage may lie somewhere else.
  void copy_addresses() {
    std::vector<llvm::Instruction*> open;
    for (llvm::Instruction& i : llvm::instructions(*body_))
      if (llvm::isa<llvm::GetElementPtrInst>(i) &&
          llvm::isa<llvm::AllocaInst, llvm::Argument>(llvm::getUnderlyingObject(&i, 0)))
        open.push_back(&i);
    // An address that is made of another one comes behind it, where both are in one block; a copy is looked at again.
    for (bool changed = true; changed;) {
      changed = false;
      for (auto at = open.rbegin(); at != open.rend(); ++at) {
        std::vector<llvm::Use*> uses;
        for (llvm::Use& use : (*at)->uses())
          if (block_of(use) != (*at)->getParent()) uses.push_back(&use);
        llvm::SmallDenseMap<llvm::BasicBlock*, llvm::Instruction*, 8> at_end;  // for phis
        for (llvm::Use* use : uses) {
          auto* user = llvm::cast<llvm::Instruction>(use->getUser());
          const bool phi = llvm::isa<llvm::PHINode>(user);
          llvm::Instruction* copy = phi ? at_end[block_of(*use)] : nullptr;
          if (copy == nullptr) {
            copy = (*at)->clone();
            copy->insertBefore(phi ? block_of(*use)->getTerminator() : user);
            if (phi) at_end[block_of(*use)] = copy;
          }
          use->set(copy);
          changed = true;
        }
      }
    }
  }

  /// What making a value again takes, in instructions about; kNever: it has to be kept. What is left of its operands
  /// are constants, what does not change while the thread runs, and values that are kept in any case.
  static constexpr unsigned kNever = 1000, kMaxFixed = 8, kMaxKept = 2;
  struct Price {
    unsigned cost = kNever;
    bool fixed = true;  ///< nothing kept is needed
    [[nodiscard]] bool low() const { return cost <= (fixed ? kMaxFixed : kMaxKept); }
  };
  Price price(llvm::Value& value, unsigned depth = 0) {
    if (llvm::isa<llvm::Constant, llvm::Argument>(value)) return {0, true};
    auto* i = llvm::dyn_cast<llvm::Instruction>(&value);
    if (i == nullptr || depth > kMaxFixed) return {};
    if (const auto known = prices_.find(i); known != prices_.end()) return known->second;
    Price sum{llvm::isa<llvm::GetElementPtrInst>(i) ? 0u : 1u, true};
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(i);
    const bool pure = llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::CastInst,
                                llvm::GetElementPtrInst, llvm::InsertElementInst, llvm::ShuffleVectorInst>(i) &&
                      !i->isIntDivRem();
    if (!pure && (load == nullptr || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load))) return {};
    for (llvm::Value* operand : i->operands()) {
      Price one = price(*operand, depth + 1);
      if (!one.low()) one = {crossing_.contains(llvm::dyn_cast<llvm::Instruction>(operand)) ? 1u : kNever, false};
      sum.cost += one.cost;
      sum.fixed = sum.fixed && one.fixed;
    }
    return prices_[i] = sum;
  }
  /// The value for a block that comes behind its own one.
  llvm::Value* made_in(llvm::BasicBlock* block, llvm::Value* value, llvm::Instruction* before,
                       llvm::SmallDenseMap<llvm::Value*, llvm::Value*, 8>& there) {
    auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (i == nullptr || i->getParent() == block || !price(*value).low()) return value;
    llvm::Value*& copy = there[value];
    if (copy != nullptr) return copy;
    llvm::Instruction* clone = i->clone();
    for (llvm::Use& use : clone->operands()) use.set(made_in(block, use.get(), before, there));
    clone->insertBefore(before);
    return there[value] = clone;
  }

  /// Values that are used behind a wait and cost little to make are made where they are used: most of them are limits
  /// of buffers, which only few threads look at.
  void make_again() {
    std::vector<llvm::Instruction*> values;
    for (llvm::Instruction& i : llvm::instructions(*body_))
      if (!i.getType()->isVoidTy() && !llvm::isa<llvm::AllocaInst>(i) && crosses(i)) values.push_back(&i);
    crossing_.insert(values.begin(), values.end());
    llvm::DenseMap<llvm::BasicBlock*, llvm::SmallDenseMap<llvm::Value*, llvm::Value*, 8>> made;
    llvm::DenseMap<llvm::BasicBlock*, llvm::Instruction*> places;  // the block's own beginning
    for (llvm::Instruction* value : values) {
      if (!price(*value).low()) continue;
      std::vector<llvm::Use*> uses;
      for (llvm::Use& use : value->uses())
        if (block_of(use) != value->getParent()) uses.push_back(&use);
      for (llvm::Use* use : uses) {
        llvm::BasicBlock* block = block_of(*use);
        llvm::Instruction*& place = places[block];
        if (place == nullptr) place = &*block->getFirstInsertionPt();
        use->set(made_in(block, value, place, made[block]));
      }
    }
    prices_.clear();
    for (auto value = values.rbegin(); value != values.rend(); ++value)
      if ((*value)->use_empty() && !(*value)->mayHaveSideEffects()) (*value)->eraseFromParent();
  }

  /// Values that are used behind a wait go to the frame where they are made, and come from it where they are used.
  void keep_values() {
    std::vector<llvm::Instruction*> kept;
    for (llvm::Instruction& i : llvm::instructions(*body_))
      if (!i.getType()->isVoidTy() && !llvm::isa<llvm::AllocaInst>(i) && crosses(i)) kept.push_back(&i);
    for (llvm::Instruction* value : kept) keep(*value);
  }
  void keep(llvm::Instruction& value) {
    llvm::Type* type = value.getType();
    const std::uint64_t at = reserve(type, layout_.getTypeAllocSize(type).getFixedValue(), 1);
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : value.uses())
      if (block_of(use) != value.getParent()) uses.push_back(&use);
    llvm::SmallDenseMap<llvm::BasicBlock*, llvm::Value*, 8> loaded;
    for (llvm::Use* use : uses) {
      llvm::BasicBlock* block = block_of(*use);
      llvm::Value*& here = loaded[block];
      if (here == nullptr) {
        llvm::IRBuilder<> b(block, block->getFirstInsertionPt());
        here = b.CreateLoad(type, place(b, at));
      }
      use->set(here);
    }
    llvm::IRBuilder<> b(value.getParent(), llvm::isa<llvm::PHINode>(value) ? value.getParent()->getFirstInsertionPt()
                                                                           : std::next(value.getIterator()));
    b.CreateStore(&value, place(b, at));
  }

  /// Whether what the storage holds when a block begins is never looked at: it belongs to one block, which writes it
  /// first.
  static bool is_temporary(const llvm::AllocaInst& storage, unsigned depth = 0) {
    if (storage.hasMetadata(kTemporaryMark)) return true;
    const llvm::BasicBlock* block = nullptr;
    llvm::SmallVector<const llvm::Instruction*, 8> open{&storage};
    llvm::SmallPtrSet<const llvm::Instruction*, 16> users;
    while (!open.empty()) {
      for (const llvm::User* user : open.pop_back_val()->users()) {
        const auto* i = llvm::cast<llvm::Instruction>(user);
        if (block != nullptr && i->getParent() != block) return false;
        block = i->getParent();
        if (llvm::isa<llvm::GetElementPtrInst>(i)) {
          open.push_back(i);
          continue;
        }
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(i);
            store != nullptr && store->getValueOperand()->getType()->isPointerTy()) {
          // Its address: a reader of it is in the same block.
          const auto* to = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand()));
          if (to == nullptr || (to != &storage && (depth > 2 || !is_temporary(*to, depth + 1)))) return false;
        }
        if (!llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::CallInst>(i)) return false;
        users.insert(i);
      }
    }
    if (block == nullptr) return true;
    for (const llvm::Instruction& i : *block)
      if (users.contains(&i)) return !llvm::isa<llvm::LoadInst>(i);
    return true;
  }

  /// Storage that may be looked at behind a wait lies in the frame.
  void keep_storage() {
    std::vector<llvm::AllocaInst*> all;
    for (llvm::Instruction& i : body_->getEntryBlock())
      if (auto* storage = llvm::dyn_cast<llvm::AllocaInst>(&i)) all.push_back(storage);
    start_ = &body_->getEntryBlock();
    dispatch_ = llvm::BasicBlock::Create(body_->getContext(), "dispatch", body_, start_);
    for (llvm::AllocaInst* storage : all) {
      if (is_temporary(*storage)) {
        storage->moveBefore(*dispatch_, dispatch_->end());
        continue;
      }
      const std::uint64_t bytes = storage->getAllocationSize(layout_)->getFixedValue();
      const std::uint64_t at = reserve(storage->getAllocatedType(), bytes, storage->getAlign().value());
      std::vector<llvm::Use*> uses;
      for (llvm::Use& use : storage->uses()) uses.push_back(&use);
      for (llvm::Use* use : uses) {
        auto* user = llvm::cast<llvm::Instruction>(use->getUser());
        if (user->isLifetimeStartOrEnd()) {
          user->eraseFromParent();
          continue;
        }
        llvm::IRBuilder<> b(llvm::isa<llvm::PHINode>(user) ? block_of(*use)->getTerminator() : user);
        use->set(place(b, at));
      }
      storage->eraseFromParent();
    }
  }

  void make_switch() {
    llvm::IRBuilder<> b(dispatch_);
    llvm::Value* resume =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), body_->getArg(0), offsetof(ThreadContext, resume));
    llvm::SwitchInst* places =
        b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), resume), start_, static_cast<unsigned>(waits_.size()));
    for (std::size_t k = 0; k < waits_.size(); ++k) {
      llvm::ConstantInt* number = b.getInt32(static_cast<std::uint32_t>(k) + 1);
      places->addCase(number, waits_[k].behind);
      llvm::CallInst* call = waits_[k].call;
      call->getParent()->getTerminator()->eraseFromParent();
      llvm::IRBuilder<> end(call);
      end.CreateStore(number,
                      end.CreateConstInBoundsGEP1_64(b.getInt8Ty(), body_->getArg(0), offsetof(ThreadContext, resume)));
      end.CreateRet(call->getArgOperand(0));
      call->eraseFromParent();
    }
  }

  /// The kernel itself hands the frame on. It saves nothing, and calls at its end only: it is entered for each thread
  /// behind each wait.
  void make_entry() {
    llvm::LLVMContext& context = kernel_.getContext();
    llvm::Function& begin = make_begin();
    kernel_.removeFnAttr("stackrealign");
    llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", &kernel_);
    llvm::BasicBlock* start = llvm::BasicBlock::Create(context, "start", &kernel_);
    llvm::BasicBlock* resumed = llvm::BasicBlock::Create(context, "resumed", &kernel_);
    llvm::IRBuilder<> b(entry);
    llvm::Value* resume = b.CreateLoad(b.getInt32Ty(), member(b, kernel_, offsetof(ThreadContext, resume)));
    b.CreateCondBr(b.CreateICmpEQ(resume, b.getInt32(0)), start, resumed);
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : kernel_.args()) arguments.push_back(&argument);
    const auto end_in = [&](llvm::BasicBlock* block, llvm::Function& function) {
      b.SetInsertPoint(block);
      if (block == resumed)
        arguments.push_back(b.CreateLoad(b.getPtrTy(), member(b, kernel_, offsetof(ThreadContext, frame))));
      llvm::CallInst* call = b.CreateCall(&function, arguments);
      call->setTailCall();
      b.CreateRet(call);
    };
    end_in(start, begin);
    end_in(resumed, *body_);
  }
  static llvm::Value* member(llvm::IRBuilder<>& b, llvm::Function& function, std::size_t at) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), function.getArg(0), at);
  }

  /// What begins a thread: with a frame; without one it ends as having reached a limit.
  llvm::Function& make_begin() {
    llvm::LLVMContext& context = kernel_.getContext();
    llvm::Function* function = llvm::Function::Create(kernel_.getFunctionType(), llvm::Function::InternalLinkage,
                                                      "heddle_beginning", kernel_.getParent());
    function->setAttributes(kernel_.getAttributes());
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::NoInline);
    llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", function);
    llvm::BasicBlock* refused = llvm::BasicBlock::Create(context, "refused", function);
    llvm::BasicBlock* given = llvm::BasicBlock::Create(context, "given", function);
    llvm::IRBuilder<> b(entry);
    const llvm::FunctionCallee make =
        kernel_.getParent()->getOrInsertFunction("heddle_jit_frame", b.getPtrTy(), b.getPtrTy(), b.getInt64Ty());
    llvm::Value* made = b.CreateCall(make, {function->getArg(0), b.getInt64(std::max<std::uint64_t>(bytes_, 1))});
    b.CreateCondBr(b.CreateIsNull(made), refused, given);
    b.SetInsertPoint(refused);
    b.CreateRet(b.getInt32(static_cast<std::uint32_t>(machine::jit::Result::Limit)));
    b.SetInsertPoint(given);
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
    arguments.push_back(made);
    llvm::CallInst* call = b.CreateCall(body_, arguments);
    call->setTailCall();
    b.CreateRet(call);
    return *function;
  }

  llvm::Function& kernel_;
  const llvm::DataLayout& layout_;
  std::vector<Wait> waits_;
  llvm::Function* body_ = nullptr;
  llvm::Argument* frame_ = nullptr;
  llvm::BasicBlock *start_ = nullptr, *dispatch_ = nullptr;
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> behind_;
  llvm::DenseMap<llvm::BasicBlock*, unsigned> numbers_;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> crossing_;  ///< of make_again()
  llvm::DenseMap<const llvm::Instruction*, Price> prices_;
  std::vector<unsigned> visited_;  ///< by number: the round that came to the block last
  std::vector<llvm::BasicBlock*> open_;
  unsigned round_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

llvm::Function& lower_waits(llvm::Function& kernel) { return WaitLowering(kernel).run(); }

}  // namespace heddle::engine::jit
