// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/passes/half_pass.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace heddle::engine::jit {
namespace {

bool of_halves(const llvm::Value& value) {
  return value.getType()->isVectorTy() && value.getType()->getScalarType()->isHalfTy();
}

bool rounds(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (call == nullptr || !of_halves(i)) return false;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool widen_halves(llvm::Function& function) {
  bool changed = false;
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&i);
    if (compare != nullptr ? !of_halves(*compare->getOperand(0)) : !rounds(i)) continue;
    llvm::IRBuilder<> b(&i);
    llvm::Type* wide = i.getOperand(0)->getType()->getWithNewType(b.getFloatTy());
    const auto widen = [&](llvm::Value* value) { return b.CreateFPExt(value, wide); };
    if (compare != nullptr)
      i.replaceAllUsesWith(
          b.CreateFCmp(compare->getPredicate(), widen(compare->getOperand(0)), widen(compare->getOperand(1))));
    else
      i.replaceAllUsesWith(b.CreateFPTrunc(
          b.CreateUnaryIntrinsic(llvm::cast<llvm::IntrinsicInst>(i).getIntrinsicID(), widen(i.getOperand(0))),
          i.getType()));
    i.eraseFromParent();
    changed = true;
  }
  return changed;
}

void make_single_halves_scalar(llvm::Function& function) {
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&i);
    const auto* to = llvm::dyn_cast<llvm::FixedVectorType>(i.getType());
    if (cast == nullptr || to == nullptr || to->getNumElements() != 1 || !of_halves(i)) continue;
    const auto* from = llvm::dyn_cast<llvm::FixedVectorType>(i.getOperand(0)->getType());
    if (from != nullptr && from->getNumElements() != 1) continue;
    llvm::IRBuilder<> b(&i);
    llvm::Value* bits = cast->getOperand(0);
    if (from != nullptr) bits = b.CreateExtractElement(bits, std::uint64_t{0});
    llvm::Value* half = b.CreateBitCast(bits, b.getHalfTy());
    i.replaceAllUsesWith(b.CreateInsertElement(llvm::PoisonValue::get(i.getType()), half, std::uint64_t{0}));
    i.eraseFromParent();
  }
}

}  // namespace heddle::engine::jit
