// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/passes/uniform_pass.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ValueHandle.h>

namespace heddle::engine::jit {
namespace {

using Uniform = llvm::SetVector<llvm::Instruction*>;

unsigned lanes_of(const llvm::Value& value) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  return type == nullptr ? 0 : type->getNumElements();
}

/// What masked gathers are called with.
enum GatherOperand : unsigned { kPointers, kAlignment, kMask, kPassThrough };
bool is_gather(const llvm::Value& value) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&value);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_gather;
}

/// Reads from a pointer where that is wanted, and zero without a branch elsewhere.
llvm::Value* load_where(llvm::IRBuilder<>& b, llvm::Value* wanted, llvm::Value* pointer, llvm::Type* type,
                        llvm::Value* alignment) {
  constexpr const char* kZeros = "heddle_zeros";
  constexpr std::uint64_t kBytes = 8;  // of the longest element
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::GlobalVariable* zeros = module.getNamedGlobal(kZeros);
  if (zeros == nullptr) {
    llvm::Type* bytes = llvm::ArrayType::get(b.getInt8Ty(), kBytes);
    zeros = new llvm::GlobalVariable(module, bytes, true, llvm::GlobalValue::PrivateLinkage,
                                     llvm::Constant::getNullValue(bytes), kZeros);
    zeros->setAlignment(llvm::Align(kBytes));
  }
  const auto align = llvm::cast<llvm::ConstantInt>(alignment)->getMaybeAlignValue();
  return b.CreateAlignedLoad(type, b.CreateSelect(wanted, pointer, zeros), align);
}

bool is_zero(llvm::Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant != nullptr && constant->isNullValue();
}

/// Lanes of its result depend on the same lanes of its operands alone, and on memory.
bool by_lane(llvm::Instruction& i) {
  if (lanes_of(i) < 2) return false;
  if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i)) return spread_scalar(*shuffle) != nullptr;
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&i)) return lanes_of(*cast->getOperand(0)) == lanes_of(i);
  return llvm::isa<llvm::PHINode, llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst,
                   llvm::FreezeInst, llvm::GetElementPtrInst>(i) ||
         is_gather(i);
}

bool is_uniform(const Uniform& uniform, llvm::Value* value) {
  if (lanes_of(*value) == 0) return true;  // the condition of a select
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return constant->getSplatValue() != nullptr;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction != nullptr && uniform.contains(instruction);
}

/// What can be assumed uniform together: a loop's counter is where its next value is.
Uniform find_uniform(llvm::Function& function) {
  Uniform uniform;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
    for (llvm::Instruction& i : *block)
      if (by_lane(i)) uniform.insert(&i);
  bool changed = true;
  while (changed)
    changed = uniform.remove_if([&](llvm::Instruction* i) {
      if (llvm::isa<llvm::ShuffleVectorInst>(i)) return false;
      return !llvm::all_of(i->operands(), [&](llvm::Value* v) { return is_uniform(uniform, v); });
    });
  return uniform;
}

class Rewrite {
 public:
  explicit Rewrite(const Uniform& uniform) : uniform_(uniform) {}

  void run() {
    for (llvm::Instruction* i : uniform_) scalars_[i] = make(*i);
    for (llvm::Instruction* i : uniform_)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i))
        for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
          llvm::cast<llvm::PHINode>(static_cast<llvm::Value*>(scalars_[i]))
              ->addIncoming(scalar(phi->getIncomingValue(k)), phi->getIncomingBlock(k));
    for (llvm::Instruction* i : uniform_) replace_uses(*i);
    for (llvm::Instruction* i : uniform_) i->dropAllReferences();
    for (llvm::Instruction* i : uniform_) i->eraseFromParent();
  }

 private:
  llvm::Value* scalar(llvm::Value* value) {
    if (lanes_of(*value) == 0) return value;
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return constant->getSplatValue();
    return scalars_[llvm::cast<llvm::Instruction>(value)];
  }

  llvm::Value* make(llvm::Instruction& i) {
    llvm::IRBuilder<> b(&i);
    llvm::Type* type = i.getType()->getScalarType();
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) return b.CreatePHI(type, phi->getNumIncomingValues());
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i)) {
      llvm::Value* from = spread_scalar(*shuffle);
      return lanes_of(*from) == 1 ? b.CreateExtractElement(from, std::uint64_t{0}) : from;
    }
    // The builder folds, so the result may be a constant or an operand.
    if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
      llvm::SmallVector<llvm::Value*> indices;
      for (llvm::Use& index : place->indices()) indices.push_back(scalar(index));
      return b.CreateGEP(place->getSourceElementType(), scalar(place->getPointerOperand()), indices);
    }
    if (is_gather(i)) {
      llvm::Value* mask = scalar(i.getOperand(kMask));
      llvm::Value* value = load_where(b, mask, scalar(i.getOperand(kPointers)), type, i.getOperand(kAlignment));
      llvm::Value* otherwise = scalar(i.getOperand(kPassThrough));
      return is_zero(otherwise) ? value : b.CreateSelect(mask, value, otherwise);
    }
    llvm::Value* result = nullptr;
    if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&i))
      result = b.CreateBinOp(binary->getOpcode(), scalar(i.getOperand(0)), scalar(i.getOperand(1)));
    else if (auto* unary = llvm::dyn_cast<llvm::UnaryOperator>(&i))
      result = b.CreateUnOp(unary->getOpcode(), scalar(i.getOperand(0)));
    else if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i))
      result = b.CreateCmp(compare->getPredicate(), scalar(i.getOperand(0)), scalar(i.getOperand(1)));
    else if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&i))
      result = b.CreateCast(cast->getOpcode(), scalar(i.getOperand(0)), type);
    else if (llvm::isa<llvm::SelectInst>(i))
      result = b.CreateSelect(scalar(i.getOperand(0)), scalar(i.getOperand(1)), scalar(i.getOperand(2)));
    else
      result = b.CreateFreeze(scalar(i.getOperand(0)));
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(result);
        made != nullptr && made->getOpcode() == i.getOpcode() && made->getNextNode() == &i)
      made->copyIRFlags(&i);
    return result;
  }

  void replace_uses(llvm::Instruction& i) {
    llvm::Value* value = scalars_[&i];
    llvm::Value* spread = nullptr;
    for (llvm::Use& use : llvm::make_early_inc_range(i.uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (uniform_.contains(user)) continue;
      if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(user);
          cast != nullptr && i.getType()->isIntOrIntVectorTy(1) && cast->getType()->isIntegerTy()) {
        llvm::IRBuilder<> b(cast);
        cast->replaceAllUsesWith(b.CreateSExt(value, cast->getType()));
        cast->eraseFromParent();
        continue;
      }
      if (llvm::isa<llvm::ExtractElementInst>(user)) {
        user->replaceAllUsesWith(value);
        user->eraseFromParent();
        continue;
      }
      if (llvm::isa<llvm::SelectInst>(user) && use.getOperandNo() == 0) {
        use.set(value);
        continue;
      }
      if (is_gather(*user) && use.getOperandNo() == kPointers) {
        gather_once(*user, value);
        continue;
      }
      if (spread == nullptr) {
        llvm::IRBuilder<> b(&i);
        if (llvm::isa<llvm::PHINode>(i)) b.SetInsertPoint(i.getParent(), i.getParent()->getFirstInsertionPt());
        spread = b.CreateVectorSplat(lanes_of(i), value);
      }
      use.set(spread);
    }
  }

  /// Some lanes read one place.
  static void gather_once(llvm::Instruction& gather, llvm::Value* pointer) {
    llvm::IRBuilder<> b(&gather);
    llvm::Value* mask = gather.getOperand(kMask);
    const unsigned lanes = lanes_of(gather);
    llvm::Value* any = b.CreateIsNotNull(b.CreateBitCast(mask, b.getIntNTy(lanes)));
    llvm::Value* value = load_where(b, any, pointer, gather.getType()->getScalarType(), gather.getOperand(kAlignment));
    llvm::Value* result = b.CreateSelect(mask, b.CreateVectorSplat(lanes, value), gather.getOperand(kPassThrough));
    gather.replaceAllUsesWith(result);
    gather.eraseFromParent();
  }

  const Uniform& uniform_;
  /// They follow a scalar that was taken out of a uniform vector, once it is replaced by that vector's own.
  llvm::DenseMap<llvm::Instruction*, llvm::WeakTrackingVH> scalars_;
};

}  // namespace

llvm::Value* spread_scalar(llvm::ShuffleVectorInst& shuffle) {
  if (!llvm::all_equal(shuffle.getShuffleMask()) || shuffle.getShuffleMask()[0] != 0) return nullptr;
  llvm::Value *from = shuffle.getOperand(0), *scalar = nullptr;
  using namespace llvm::PatternMatch;
  if (match(from, m_InsertElt(m_Value(), m_Value(scalar), m_ZeroInt()))) return scalar;
  return lanes_of(*from) == 1 ? from : nullptr;
}

bool make_uniform_vectors_scalar(llvm::Function& function) {
  const Uniform uniform = find_uniform(function);
  // Spreading alone is no gain.
  if (llvm::all_of(uniform, [](llvm::Instruction* i) { return llvm::isa<llvm::ShuffleVectorInst>(i); })) return false;
  Rewrite(uniform).run();
  return true;
}

}  // namespace heddle::engine::jit
