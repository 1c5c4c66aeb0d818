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
          // Its address: who reads it there reads in the same block.
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

  /// The kernel itself gets the frame and hands it on; without one it ends as having reached a limit.
  void make_entry() {
    llvm::LLVMContext& context = kernel_.getContext();
    llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", &kernel_);
    llvm::BasicBlock* refused = llvm::BasicBlock::Create(context, "refused", &kernel_);
    llvm::BasicBlock* given = llvm::BasicBlock::Create(context, "given", &kernel_);
    llvm::BasicBlock* begin = llvm::BasicBlock::Create(context, "begin", &kernel_, refused);
    llvm::IRBuilder<> b(entry);
    const auto member = [&](std::size_t at) {
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), kernel_.getArg(0), at);
    };
    llvm::Value* resume = b.CreateLoad(b.getInt32Ty(), member(offsetof(ThreadContext, resume)));
    llvm::Value* own = b.CreateLoad(b.getPtrTy(), member(offsetof(ThreadContext, frame)));
    b.CreateCondBr(b.CreateICmpEQ(resume, b.getInt32(0)), begin, given);
    b.SetInsertPoint(begin);
    const llvm::FunctionCallee make =
        kernel_.getParent()->getOrInsertFunction("heddle_jit_frame", b.getPtrTy(), b.getPtrTy(), b.getInt64Ty());
    llvm::Value* made = b.CreateCall(make, {kernel_.getArg(0), b.getInt64(std::max<std::uint64_t>(bytes_, 1))});
    b.CreateCondBr(b.CreateIsNull(made), refused, given);
    b.SetInsertPoint(refused);
    b.CreateRet(b.getInt32(static_cast<std::uint32_t>(machine::jit::Result::Limit)));
    b.SetInsertPoint(given);
    llvm::PHINode* frame = b.CreatePHI(b.getPtrTy(), 2);
    frame->addIncoming(own, entry);
    frame->addIncoming(made, begin);
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : kernel_.args()) arguments.push_back(&argument);
    arguments.push_back(frame);
    llvm::CallInst* call = b.CreateCall(body_, arguments);
    call->setTailCall();
    b.CreateRet(call);
  }

  llvm::Function& kernel_;
  const llvm::DataLayout& layout_;
  std::vector<Wait> waits_;
  llvm::Function* body_ = nullptr;
  llvm::Argument* frame_ = nullptr;
  llvm::BasicBlock *start_ = nullptr, *dispatch_ = nullptr;
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> behind_;
  llvm::DenseMap<llvm::BasicBlock*, unsigned> numbers_;
  std::vector<unsigned> visited_;  ///< by number: the round that came to the block last
  std::vector<llvm::BasicBlock*> open_;
  unsigned round_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

llvm::Function& lower_waits(llvm::Function& kernel) { return WaitLowering(kernel).run(); }

}  // namespace heddle::engine::jit
