// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/passes/nan_pass.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "machine/numbers/number.hpp"

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
    case llvm::Intrinsic::arithmetic_fence:  // Builder::any_nan
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

/// Values whose NaNs are all canonical, by what they are made of; phis are believed until one of them is refuted.
class Clean {
 public:
  bool operator()(llvm::Value* value) {
    llvm::SmallVector<llvm::Value*, 16> open{value};
    llvm::SmallPtrSet<llvm::Value*, 16> met{value};
    while (!open.empty()) {
      llvm::Value* v = open.pop_back_val();
      if (auto* constant = llvm::dyn_cast<llvm::Constant>(v)) {
        if (!is_clean(*constant)) return false;
        continue;
      }
      auto* i = llvm::dyn_cast<llvm::Instruction>(v);
      if (i == nullptr) return false;
      if (made_canonical(i) != nullptr || llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(i)) continue;
      const bool cast = llvm::isa<llvm::BitCastInst>(i) &&
                        i->getType()->getScalarSizeInBits() == i->getOperand(0)->getType()->getScalarSizeInBits();
      if (!llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(i) && !cast) return false;
      for (llvm::Use& use : i->operands())
        if (!(llvm::isa<llvm::SelectInst>(i) && use.getOperandNo() == 0) && met.insert(use.get()).second)
          open.push_back(use.get());
    }
    return true;
  }

 private:
  /// Elements of 32 bits.
  static bool is_clean(const llvm::Constant& constant) {
    if (llvm::isa<llvm::UndefValue>(constant) || constant.isNullValue()) return true;
    const llvm::Constant* one = constant.getType()->isVectorTy() ? constant.getSplatValue() : &constant;
    llvm::APInt bits;
    if (const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(one))
      bits = number->getValueAPF().bitcastToAPInt();
    else if (const auto* integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(one))
      bits = integer->getValue();
    if (bits.getBitWidth() != 32) return false;
    const std::uint64_t word = bits.getZExtValue();
    return (word & 0x7fffffffu) <= 0x7f800000u || word == machine::kNanSingle;
  }
};

/// The uses that see the payload of a value, also where instructions hand it on. False where it is handed on so often
/// that the search, done for each value, would take time that grows with the square of the function's length.
bool find_observers(llvm::Instruction& value, llvm::SmallVectorImpl<llvm::Use*>& observers) {
  constexpr unsigned kMaxMet = 256;
  llvm::SmallVector<llvm::Instruction*, 16> open{&value};
  llvm::SmallPtrSet<llvm::Instruction*, 16> met{&value};
  while (!open.empty()) {
    llvm::Instruction* i = open.pop_back_val();
    if (met.size() > kMaxMet) return false;
    for (llvm::Use& use : i->uses()) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (ignores_payload(*user)) continue;
      if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::BitCastInst, llvm::FreezeInst>(user) && hands_on(use)) {
        if (made_canonical(user) != i && met.insert(user).second) open.push_back(user);
      } else {
        observers.push_back(&use);
      }
    }
  }
  return true;
}

}  // namespace

bool move_canonical_nans_behind_loops(llvm::Function& function, const llvm::LoopInfo& loops) {
  llvm::SmallVector<std::pair<llvm::Instruction*, llvm::Value*>, 8> dropped;
  llvm::SmallSetVector<llvm::Use*, 16> seen;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    llvm::Value* source = made_canonical(&i);
    const unsigned depth = source != nullptr ? loops.getLoopDepth(i.getParent()) : 0;
    if (depth == 0 || !i.getType()->getScalarType()->isFloatTy()) continue;
    llvm::SmallVector<llvm::Use*, 8> observers;
    if (!find_observers(i, observers)) continue;
    const bool outside = llvm::all_of(observers, [&](llvm::Use* use) {
      const auto* user = llvm::cast<llvm::Instruction>(use->getUser());
      return !llvm::isa<llvm::PHINode>(user) && loops.getLoopDepth(user->getParent()) < depth &&
             use->get()->getType()->getScalarSizeInBits() == 32 && Clean()(use->get());
    });
    if (!outside || observers.empty() || observers.size() > 4) continue;
    dropped.emplace_back(&i, source);
    seen.insert(observers.begin(), observers.end());
  }
  for (llvm::Use* use : seen) {
    llvm::IRBuilder<> b(llvm::cast<llvm::Instruction>(use->getUser()));
    llvm::Value* value = use->get();
    llvm::Type* type = value->getType();
    llvm::Type* floats = b.getFloatTy();
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      floats = llvm::FixedVectorType::get(floats, vector->getNumElements());
    llvm::Value* number = b.CreateBitCast(value, floats);
    llvm::Value* nan =
        b.CreateBitCast(llvm::ConstantInt::get(floats->getWithNewType(b.getInt32Ty()), machine::kNanSingle), floats);
    use->set(b.CreateBitCast(b.CreateSelect(b.CreateFCmpUNO(number, number), nan, number), type));
  }
  for (const auto& [select, source] : dropped) select->replaceAllUsesWith(source);
  return !dropped.empty();
}

bool remove_any_nan_marks(llvm::Function& function) {
  bool changed = false;
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (mark == nullptr || mark->getIntrinsicID() != llvm::Intrinsic::arithmetic_fence) continue;
    mark->replaceAllUsesWith(mark->getArgOperand(0));
    mark->eraseFromParent();
    changed = true;
  }
  return changed;
}

bool drop_unseen_canonical_nans(llvm::Function& function) {
  // Values whose payload may be seen, found backwards from the instructions that look at payloads.
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

namespace {

bool is_quiet(const llvm::Constant& constant) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant)) return !number->getValueAPF().isSignaling();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(constant.getType());
  if (vector == nullptr) return false;
  for (unsigned k = 0; k < vector->getNumElements(); ++k) {
    const llvm::Constant* element = constant.getAggregateElement(k);
    if (element == nullptr || !is_quiet(*element)) return false;
  }
  return true;
}

/// What arithmetic makes: its NaNs are quiet.
bool is_quiet(const llvm::Value& value) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return is_quiet(*constant);
  if (llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst, llvm::FPExtInst, llvm::FPTruncInst>(value)) return true;
  const auto* i = llvm::dyn_cast<llvm::Instruction>(&value);
  return i != nullptr && !llvm::isa<llvm::FCmpInst>(i) && ignores_payload(*i);
}

}  // namespace

void keep_choices_by_comparison(llvm::Function& function) {
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&i);
    if (select == nullptr || !select->getType()->isFPOrFPVectorTy()) continue;
    auto* compare = llvm::dyn_cast<llvm::FCmpInst>(select->getCondition());
    if (compare == nullptr) continue;
    const bool chosen = llvm::any_of(compare->operands(), [&](const llvm::Use& use) {
      return (use == select->getTrueValue() || use == select->getFalseValue()) && !is_quiet(*use);
    });
    // Nothing looks for a minimum behind a freeze, which costs no instruction.
    if (chosen) select->setCondition(llvm::IRBuilder<>(select).CreateFreeze(compare));
  }
}

}  // namespace heddle::engine::jit
