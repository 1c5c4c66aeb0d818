// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/passes/row_pass.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "engine/jit/llvm/passes/uniform_pass.hpp"

namespace heddle::engine::jit {
namespace {

using namespace llvm::PatternMatch;

/// What all lanes of `value` are: a scalar, a vector of one lane, or null.
llvm::Value* spread_of(llvm::Value* value) {
  if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value)) return spread_scalar(*shuffle);
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant == nullptr ? nullptr : constant->getSplatValue();
}

/// A comparison of `integers` with their first lane and multiples of `step`.
struct Question {
  llvm::ICmpInst* compare = nullptr;
  llvm::Value* integers = nullptr;
  llvm::APInt step;
};

bool is_question(llvm::Instruction& i, Question& q) {
  auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&i);
  llvm::Constant* steps = nullptr;
  if (compare == nullptr || !compare->hasMetadata(kStepsMark) ||
      !match(compare->getOperand(1), m_Add(m_Value(), m_Constant(steps))))
    return false;
  const auto* second = llvm::dyn_cast_or_null<llvm::ConstantInt>(steps->getAggregateElement(1));
  if (second == nullptr) return false;
  q = {compare, compare->getOperand(0), second->getValue()};
  return true;
}

/// What the integers are made by, from the last operation to the first, and the vector that they are made of, whose
/// lanes then are to go up by `step`.
struct Origin {
  llvm::SmallVector<std::pair<llvm::BinaryOperator*, llvm::Value*>, 8> operations;  ///< and what lanes have alike
  llvm::Value* vector = nullptr;
  llvm::APInt step;
};

/// The number by which the operation multiplies steps; 0: it does something else to them.
llvm::APInt factor_of(const llvm::BinaryOperator& operation, const llvm::Value* alike) {
  const unsigned bits = operation.getType()->getScalarSizeInBits();
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(alike);
  switch (operation.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      return {bits, 1};
    case llvm::Instruction::Shl:
      return number == nullptr ? llvm::APInt(bits, 0) : llvm::APInt(bits, 1).shl(number->getValue());
    case llvm::Instruction::Mul:
      return number == nullptr ? llvm::APInt(bits, 0) : number->getValue();
    default:
      return {bits, 0};
  }
}

Origin origin_of(llvm::Value* integers, const llvm::APInt& step) {
  Origin o{{}, integers, step};
  while (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(o.vector)) {
    llvm::Value *vector = operation->getOperand(0), *alike = spread_of(operation->getOperand(1));
    if (alike == nullptr && operation->isCommutative()) alike = spread_of(vector), vector = operation->getOperand(1);
    if (alike == nullptr) break;
    const llvm::APInt factor = factor_of(*operation, alike);
    if (factor.isZero() || !o.step.urem(factor).isZero()) break;
    o.step = o.step.udiv(factor);
    o.operations.emplace_back(operation, alike);
    o.vector = vector;
  }
  return o;
}

/// The first lane of the integers, calculated where they are.
llvm::Value* first_of(const Origin& o, llvm::Instruction& integers) {
  llvm::IRBuilder<> b(integers.getNextNode());
  llvm::Value* first = b.CreateExtractElement(o.vector, std::uint64_t{0});
  for (auto [operation, alike] : llvm::reverse(o.operations)) {
    if (alike->getType()->isVectorTy()) alike = b.CreateExtractElement(alike, std::uint64_t{0});
    first = b.CreateBinOp(operation->getOpcode(), first, alike);
  }
  return first;
}

void ask(const Question& q, const Origin& o) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(o.vector->getType())->getNumElements();
  llvm::SmallVector<llvm::Constant*, 32> steps;
  for (unsigned k = 0; k < lanes; ++k)
    steps.push_back(llvm::ConstantInt::get(o.vector->getType()->getScalarType(), o.step * k));
  llvm::IRBuilder<> b(q.compare);
  llvm::Value* spread = b.CreateVectorSplat(lanes, b.CreateExtractElement(o.vector, std::uint64_t{0}));
  llvm::Value* expected = b.CreateAdd(spread, llvm::ConstantVector::get(steps));
  q.compare->replaceAllUsesWith(b.CreateICmp(q.compare->getPredicate(), o.vector, expected));
  q.compare->eraseFromParent();
}

}  // namespace

bool ask_where_offsets_come_from(llvm::Function& function) {
  llvm::SmallVector<Question, 16> questions;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (Question q; is_question(i, q)) questions.push_back(q);
  bool changed = false;
  for (const Question& q : questions) {
    const Origin o = origin_of(q.integers, q.step);
    if (o.operations.empty()) continue;
    ask(q, o);
    llvm::Value* first = first_of(o, *llvm::cast<llvm::Instruction>(q.integers));
    for (llvm::User* user : llvm::make_early_inc_range(q.integers->users()))
      if (match(user, m_ExtractElt(m_Specific(q.integers), m_ZeroInt()))) user->replaceAllUsesWith(first);
    changed = true;
  }
  return changed;
}

}  // namespace heddle::engine::jit
