#include "engine/jit/llvm/nan_pass.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace heddle::engine::jit {
namespace {

using namespace llvm::PatternMatch;

/// x when the value is `x unordered with x ? canonical NaN : x`.
llvm::Value* made_canonical(llvm::Value* value) {
  llvm::Value *x = nullptr, *y = nullptr;
  llvm::Constant* nan = nullptr;
  llvm::CmpInst::Predicate predicate;
  auto* select = llvm::dyn_cast<llvm::SelectInst>(value);
  if (select == nullptr) return nullptr;
  if (!match(select->getCondition(), m_FCmp(predicate, m_Value(x), m_Value(y)))) return nullptr;
  const bool against_zero = match(y, m_AnyZeroFP());
  if (x != y && !against_zero) return nullptr;  // LLVM compares with 0 instead
  llvm::Value* kept = nullptr;
  llvm::Value* replaced = nullptr;
  if (predicate == llvm::CmpInst::FCMP_UNO) {
    replaced = select->getTrueValue();
    kept = select->getFalseValue();
  } else if (predicate == llvm::CmpInst::FCMP_ORD) {
    kept = select->getTrueValue();
    replaced = select->getFalseValue();
  }
  if (kept != x || !match(replaced, m_Constant(nan))) return nullptr;
  const auto* splat = nan->getType()->isVectorTy() ? nan->getSplatValue() : nan;
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(splat);
  return number != nullptr && number->isNaN() ? x : nullptr;
}

/// The payload of an operand never reaches the result (results of arithmetic are made canonical themselves).
bool ignores_payload(const llvm::Instruction& user) {
  switch (user.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FCmp:
      return true;
    case llvm::Instruction::Call:
      break;
    default:
      return false;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
  if (call == nullptr) return false;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat:
      return true;
    default:
      return false;
  }
}

/// The user hands the payload on to its own result.
bool hands_on(const llvm::Use& use) {
  const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  switch (user->getOpcode()) {
    case llvm::Instruction::PHI:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::FNeg:
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
      return true;
    case llvm::Instruction::Select:
      return use.getOperandNo() != 0;
    case llvm::Instruction::BitCast:
      // Elements of the same width: the lanes stay what they are.
      return user->getType()->getScalarSizeInBits() == user->getOperand(0)->getType()->getScalarSizeInBits();
    case llvm::Instruction::Call:
      if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user))
        return call->getIntrinsicID() == llvm::Intrinsic::fabs;
      return false;
    default:
      return false;
  }
}

}  // namespace

bool drop_unseen_canonical_nans(llvm::Function& function) {
  // Values whose payload somebody may see, found backwards from those who look.
  llvm::DenseSet<const llvm::Value*> seen;
  std::vector<const llvm::Instruction*> open;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    for (const llvm::Use& use : i.uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (ignores_payload(*user) || hands_on(use)) continue;
      if (seen.insert(&i).second) open.push_back(&i);
      break;
    }
  }
  while (!open.empty()) {
    const llvm::Instruction* i = open.back();
    open.pop_back();
    for (const llvm::Use& use : i->operands()) {
      const auto* operand = llvm::dyn_cast<llvm::Instruction>(use.get());
      if (operand == nullptr || ignores_payload(*i) || !hands_on(use)) continue;
      // What has been made canonical shows no payload of its source.
      if (made_canonical(const_cast<llvm::Instruction*>(i)) == operand) continue;
      if (seen.insert(operand).second) open.push_back(operand);
    }
  }
  bool changed = false;
  std::vector<std::pair<llvm::Instruction*, llvm::Value*>> dropped;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    llvm::Value* source = made_canonical(&i);
    if (source != nullptr && !seen.contains(&i)) dropped.emplace_back(&i, source);
  }
  for (const auto& [select, source] : dropped) {
    select->replaceAllUsesWith(source);
    changed = true;
  }
  // The selects are left without users; later passes remove them.
  return changed;
}

}  // namespace heddle::engine::jit
