// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/builder.hpp"

#include <array>
#include <cmath>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

#include "engine/jit/codegen/translate.hpp"
#include "engine/jit/llvm/passes/row_pass.hpp"
#include "engine/jit/llvm/shared_steps.hpp"
#include "engine/jit/llvm/waits.hpp"
#include "machine/jit/context.hpp"

namespace heddle::engine::jit {

using machine::jit::Binary;
using machine::jit::Callee;
using machine::jit::Cast;
using machine::jit::Compare;
using machine::jit::Unary;

namespace {

llvm::Value* in(machine::jit::Value v) { return static_cast<llvm::Value*>(v.p); }
machine::jit::Value out(llvm::Value* v) { return {v}; }
llvm::BasicBlock* in(machine::jit::Block b) { return static_cast<llvm::BasicBlock*>(b.p); }

}  // namespace

LlvmBuilder::LlvmBuilder(llvm::Module& module, llvm::Function& function, bool share)
    : module_(module),
      function_(function),
      b_(llvm::BasicBlock::Create(module.getContext(), "entry", &function)),
      share_(share) {
  // Storage is made at the head of the function, before this mark.
  storage_end_ = b_.CreateUnreachable();
  b_.SetInsertPoint(storage_end_);
  llvm::BasicBlock* body = llvm::BasicBlock::Create(module.getContext(), "start", &function);
  storage_end_->eraseFromParent();
  b_.SetInsertPoint(&function.getEntryBlock());
  storage_end_ = b_.CreateBr(body);
  b_.SetInsertPoint(body);
}

void LlvmBuilder::step() {
  if (share_ && !b_.GetInsertBlock()->empty())
    b_.GetInsertBlock()->back().setMetadata(kStepMark, llvm::MDNode::get(module_.getContext(), {}));
}

LlvmBuilder::Value LlvmBuilder::argument(unsigned index) { return out(function_.getArg(index)); }

llvm::Type* LlvmBuilder::type_of(Type type) const {
  llvm::LLVMContext& c = module_.getContext();
  llvm::Type* t = nullptr;
  switch (type.element) {
    case Element::Bool:
      t = llvm::Type::getInt1Ty(c);
      break;
    case Element::Half:
      t = llvm::Type::getHalfTy(c);
      break;
    case Element::F32:
      t = llvm::Type::getFloatTy(c);
      break;
    case Element::F64:
      t = llvm::Type::getDoubleTy(c);
      break;
    case Element::Pointer:
      t = llvm::PointerType::get(c, 0);
      break;
    default:
      t = llvm::Type::getIntNTy(c, machine::jit::element_bits(type.element));
      break;
  }
  return type.lanes == 0 ? t : llvm::FixedVectorType::get(t, type.lanes);
}

LlvmBuilder::Type LlvmBuilder::type(Value value) const {
  llvm::Type* t = in(value)->getType();
  Type result;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(t)) result.lanes = vector->getNumElements();
  t = t->getScalarType();
  if (t->isHalfTy())
    result.element = Element::Half;
  else if (t->isFloatTy())
    result.element = Element::F32;
  else if (t->isDoubleTy())
    result.element = Element::F64;
  else if (t->isPointerTy())
    result.element = Element::Pointer;
  else if (t->isIntegerTy(1))
    result.element = Element::Bool;
  else
    result.element = machine::jit::integer_of(t->getIntegerBitWidth() / 8);
  return result;
}

LlvmBuilder::Value LlvmBuilder::constant(Type type, std::uint64_t bits) {
  llvm::Type* t = type_of({type.element, 0});
  llvm::Constant* c = nullptr;
  if (type.element == Element::Pointer) {
    c = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(t));
  } else {
    const unsigned width = machine::jit::element_bits(type.element);
    c = llvm::ConstantInt::get(module_.getContext(),
                               llvm::APInt(width, width == 64 ? bits : bits & ((1ull << width) - 1)));
    if (t->isFloatingPointTy())
      c = llvm::ConstantFP::get(t, llvm::APFloat(t->getFltSemantics(), llvm::cast<llvm::ConstantInt>(c)->getValue()));
  }
  if (type.lanes == 0) return out(c);
  return out(llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(type.lanes), c));
}

LlvmBuilder::Value LlvmBuilder::constants(Element element, std::span<const std::uint64_t> lanes) {
  std::vector<llvm::Constant*> elements;
  for (const std::uint64_t bits : lanes)
    elements.push_back(llvm::cast<llvm::Constant>(in(constant({element, 0}, bits))));
  return out(llvm::ConstantVector::get(elements));
}

bool LlvmBuilder::known(Value value, std::uint64_t& bits) const {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(in(value));
  if (c == nullptr || c->getBitWidth() > 64) return false;
  bits = c->getZExtValue();
  return true;
}

LlvmBuilder::Value LlvmBuilder::binary(Binary op, Value a, Value b) {
  using Ops = llvm::Instruction::BinaryOps;
  static constexpr Ops kOps[] = {Ops::Add, Ops::Sub,  Ops::Mul,  Ops::UDiv, Ops::SDiv, Ops::And,  Ops::Or,  Ops::Xor,
                                 Ops::Shl, Ops::LShr, Ops::AShr, Ops::FAdd, Ops::FSub, Ops::FMul, Ops::FDiv};
  return out(b_.CreateBinOp(kOps[static_cast<unsigned>(op)], in(a), in(b)));
}

LlvmBuilder::Value LlvmBuilder::compare(Compare relation, Value a, Value b) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P kRelations[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE,
                                     P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE, P::FCMP_OEQ, P::FCMP_UNE,
                                     P::FCMP_OGT, P::FCMP_OGE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_UNO};
  return out(b_.CreateCmp(kRelations[static_cast<unsigned>(relation)], in(a), in(b)));
}

LlvmBuilder::Value LlvmBuilder::select(Value condition, Value a, Value b) {
  return out(b_.CreateSelect(in(condition), in(a), in(b)));
}

namespace {
/// The saturating intrinsics on vectors go lane by lane in LLVM's x86 back end; this is the same: NaN gives 0.
llvm::Value* saturate(llvm::IRBuilder<>& b, llvm::Value* v, llvm::Type* to, bool is_signed) {
  llvm::Type* from = v->getType();
  const unsigned bits = to->getScalarSizeInBits();
  const double most = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  llvm::Value* above = b.CreateFCmpOGE(v, llvm::ConstantFP::get(from, most));
  llvm::Value* below = b.CreateFCmpOLT(v, llvm::ConstantFP::get(from, is_signed ? -most : 0.0));
  llvm::Value* odd = b.CreateOr(b.CreateOr(above, below), b.CreateFCmpUNO(v, v));
  llvm::Value* safe = b.CreateSelect(odd, llvm::Constant::getNullValue(from), v);
  llvm::Value* x = is_signed ? b.CreateFPToSI(safe, to) : b.CreateFPToUI(safe, to);
  const llvm::APInt highest = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  x = b.CreateSelect(above, llvm::ConstantInt::get(to, highest), x);
  return is_signed ? b.CreateSelect(below, llvm::ConstantInt::get(to, llvm::APInt::getSignedMinValue(bits)), x) : x;
}
}  // namespace

LlvmBuilder::Value LlvmBuilder::cast(Cast kind, Value value, Type to) {
  llvm::Type* t = type_of(to);
  llvm::Value* v = in(value);
  using C = llvm::Instruction::CastOps;
  switch (kind) {
    case Cast::FToS:
    case Cast::FToU:
      if (t->isVectorTy() && !v->getType()->getScalarType()->isHalfTy())
        return out(saturate(b_, v, t, kind == Cast::FToS));
      return out(b_.CreateIntrinsic(kind == Cast::FToS ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                    {t, v->getType()}, {v}));
    case Cast::Trunc:
      return out(b_.CreateCast(C::Trunc, v, t));
    case Cast::ZExt:
      return out(b_.CreateCast(C::ZExt, v, t));
    case Cast::SExt:
      return out(b_.CreateCast(C::SExt, v, t));
    case Cast::Bits:
      return out(b_.CreateBitCast(v, t));
    case Cast::FTrunc:
      return out(b_.CreateCast(C::FPTrunc, v, t));
    case Cast::FExt:
      return out(b_.CreateCast(C::FPExt, v, t));
    case Cast::SToF:
      return out(b_.CreateCast(C::SIToFP, v, t));
    case Cast::UToF:
      return out(b_.CreateCast(C::UIToFP, v, t));
  }
  return {};
}

LlvmBuilder::Value LlvmBuilder::unary(Unary op, Value value) {
  namespace I = llvm::Intrinsic;
  llvm::Value* v = in(value);
  switch (op) {
    case Unary::FNeg:
      return out(b_.CreateFNeg(v));
    case Unary::LeadingZeros:
      return out(b_.CreateBinaryIntrinsic(I::ctlz, v, b_.getFalse()));
    case Unary::TrailingZeros:
      return out(b_.CreateBinaryIntrinsic(I::cttz, v, b_.getFalse()));
    case Unary::FAbs:
      return out(b_.CreateUnaryIntrinsic(I::fabs, v));
    case Unary::Sqrt:
      return out(b_.CreateUnaryIntrinsic(I::sqrt, v));
    case Unary::Floor:
      return out(b_.CreateUnaryIntrinsic(I::floor, v));
    case Unary::Ceil:
      return out(b_.CreateUnaryIntrinsic(I::ceil, v));
    case Unary::Trunc:
      return out(b_.CreateUnaryIntrinsic(I::trunc, v));
    case Unary::RoundEven:
      return out(b_.CreateUnaryIntrinsic(I::roundeven, v));
    case Unary::Popcount:
      return out(b_.CreateUnaryIntrinsic(I::ctpop, v));
    case Unary::ReverseBits:
      return out(b_.CreateUnaryIntrinsic(I::bitreverse, v));
  }
  return {};
}

LlvmBuilder::Value LlvmBuilder::fma(Value a, Value b, Value c) {
  return out(b_.CreateIntrinsic(llvm::Intrinsic::fma, {in(a)->getType()}, {in(a), in(b), in(c)}));
}

/// A mark for NanPass, which removes it.
LlvmBuilder::Value LlvmBuilder::any_nan(Value floats) {
  return out(b_.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {in(floats)->getType()}, {in(floats)}));
}

LlvmBuilder::Value LlvmBuilder::in_steps(Value integers, std::uint64_t step) {
  const auto [element, lanes] = type(integers);
  std::vector<std::uint64_t> steps;
  for (unsigned k = 0; k < lanes; ++k) steps.push_back(k * step);
  const Value expected = binary(Binary::Add, splat(extract(integers, 0), lanes), constants(element, steps));
  const Value answer = compare(Compare::Eq, integers, expected);
  if (auto* question = llvm::dyn_cast<llvm::ICmpInst>(in(answer)))
    question->setMetadata(kStepsMark, llvm::MDNode::get(module_.getContext(), {}));
  return answer;
}

LlvmBuilder::Value LlvmBuilder::earlier_alike(Value words) {
  const unsigned lanes = type(words).lanes;
  const llvm::Function& function = *b_.GetInsertBlock()->getParent();
  if (!function.hasFnAttribute(kWideVectors) || (lanes != 8 && lanes != 16)) return {};
  return out(b_.CreateIntrinsic(
      lanes == 16 ? llvm::Intrinsic::x86_avx512_conflict_d_512 : llvm::Intrinsic::x86_avx512_conflict_d_256, {},
      {in(words)}));
}

LlvmBuilder::Value LlvmBuilder::shuffle(Value a, Value b, std::span<const int> lanes) {
  return out(b_.CreateShuffleVector(in(a), in(b), llvm::ArrayRef<int>(lanes.data(), lanes.size())));
}
LlvmBuilder::Value LlvmBuilder::splat(Value scalar, unsigned lanes) {
  return out(b_.CreateVectorSplat(lanes, in(scalar)));
}
LlvmBuilder::Value LlvmBuilder::extract(Value vector, unsigned lane) {
  return out(b_.CreateExtractElement(in(vector), std::uint64_t{lane}));
}
LlvmBuilder::Value LlvmBuilder::insert(Value vector, Value scalar, unsigned lane) {
  return out(b_.CreateInsertElement(in(vector), in(scalar), std::uint64_t{lane}));
}

LlvmBuilder::Value LlvmBuilder::mask_of_bits(Value bits, unsigned lanes) {
  llvm::Value* narrow = b_.CreateTrunc(in(bits), b_.getIntNTy(lanes));
  return out(b_.CreateBitCast(narrow, llvm::FixedVectorType::get(b_.getInt1Ty(), lanes)));
}
LlvmBuilder::Value LlvmBuilder::bits_of_mask(Value mask) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(in(mask)->getType())->getNumElements();
  return out(b_.CreateZExt(b_.CreateBitCast(in(mask), b_.getIntNTy(lanes)), b_.getInt32Ty()));
}

llvm::Value* LlvmBuilder::at_offset(Value pointer, std::int64_t offset) {
  return offset == 0 ? in(pointer)
                     : b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), in(pointer), static_cast<std::uint64_t>(offset));
}
LlvmBuilder::Value LlvmBuilder::offset(Value pointer, Value bytes) {
  return out(b_.CreateGEP(b_.getInt8Ty(), in(pointer), in(bytes)));
}

LlvmBuilder::Value LlvmBuilder::load(Value pointer, std::int64_t offset, Type type, unsigned alignment) {
  return out(b_.CreateAlignedLoad(type_of(type), at_offset(pointer, offset), llvm::Align(alignment)));
}
LlvmBuilder::Value LlvmBuilder::load_fixed(Value pointer, std::int64_t offset, Type type, unsigned alignment,
                                           machine::jit::Pointee pointee) {
  llvm::LoadInst* load = b_.CreateAlignedLoad(type_of(type), at_offset(pointer, offset), llvm::Align(alignment));
  llvm::LLVMContext& c = module_.getContext();
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c, {}));
  load->setMetadata(llvm::LLVMContext::MD_noundef, llvm::MDNode::get(c, {}));
  const auto mark = [&](unsigned kind, std::uint64_t value) {
    load->setMetadata(kind, llvm::MDNode::get(c, llvm::ConstantAsMetadata::get(b_.getInt64(value))));
  };
  if (pointee.readable != 0) {  // may be read before it is known that the program does
    mark(llvm::LLVMContext::MD_dereferenceable, pointee.readable);
    if (pointee.alignment != 1) mark(llvm::LLVMContext::MD_align, pointee.alignment);
  }
  return out(load);
}
void LlvmBuilder::store(Value pointer, std::int64_t offset, Value value, unsigned alignment) {
  b_.CreateAlignedStore(in(value), at_offset(pointer, offset), llvm::Align(alignment));
}
void LlvmBuilder::copy(Value to, std::int64_t to_offset, Value from, std::int64_t from_offset, std::uint64_t bytes) {
  b_.CreateMemCpy(at_offset(to, to_offset), llvm::MaybeAlign(1), at_offset(from, from_offset), llvm::MaybeAlign(1),
                  b_.getInt64(bytes));
}
void LlvmBuilder::fill(Value pointer, std::int64_t offset, std::uint64_t bytes, unsigned alignment) {
  if (bytes != 0) b_.CreateMemSet(at_offset(pointer, offset), b_.getInt8(0), bytes, llvm::MaybeAlign(alignment));
}

llvm::Value* LlvmBuilder::pointers(Value base, Value offsets) {
  return b_.CreateGEP(b_.getInt8Ty(), in(base), in(offsets));
}

LlvmBuilder::Value LlvmBuilder::gather(Value base, Value offsets, Value mask, Element element) {
  const unsigned lanes = type(offsets).lanes;
  llvm::Type* t = type_of({element, lanes});
  return out(
      b_.CreateMaskedGather(t, pointers(base, offsets), llvm::Align(1), in(mask), llvm::Constant::getNullValue(t)));
}
void LlvmBuilder::scatter(Value base, Value offsets, Value mask, Value values) {
  b_.CreateMaskedScatter(in(values), pointers(base, offsets), llvm::Align(1), in(mask));
}
LlvmBuilder::Value LlvmBuilder::masked_load(Value pointer, Value mask, Element element) {
  llvm::Type* t = type_of({element, type(mask).lanes});
  return out(b_.CreateMaskedLoad(t, in(pointer), llvm::Align(1), in(mask), llvm::Constant::getNullValue(t)));
}
void LlvmBuilder::masked_store(Value pointer, Value mask, Value values) {
  b_.CreateMaskedStore(in(values), in(pointer), llvm::Align(1), in(mask));
}

LlvmBuilder::Value LlvmBuilder::storage(unsigned bytes, unsigned alignment, std::string_view name) {
  llvm::IRBuilder<> head(storage_end_);
  llvm::Type* t = bytes == 4   ? static_cast<llvm::Type*>(b_.getInt32Ty())
                  : bytes == 8 ? static_cast<llvm::Type*>(b_.getInt64Ty())
                               : llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::AllocaInst* alloca = head.CreateAlloca(t, nullptr, llvm::StringRef(name.data(), name.size()));
  alloca->setAlignment(llvm::Align(alignment));
  return out(alloca);
}

LlvmBuilder::Value LlvmBuilder::zeroed_storage(unsigned bytes, unsigned alignment, std::string_view name) {
  const Value made = storage(bytes, alignment, name);
  llvm::IRBuilder<> head(storage_end_);
  head.CreateMemSet(in(made), head.getInt8(0), bytes, llvm::Align(alignment));
  return made;
}

LlvmBuilder::Value LlvmBuilder::temporary(unsigned bytes, unsigned alignment, std::string_view name) {
  if (!share_) return storage(bytes, alignment, name);
  Value& one = temporaries_[{std::string(name), bytes}];
  if (!one) {
    one = storage(bytes, alignment, name);
    llvm::cast<llvm::Instruction>(in(one))->setMetadata(kTemporaryMark, llvm::MDNode::get(module_.getContext(), {}));
  }
  return one;
}

LlvmBuilder::Value LlvmBuilder::lane_storage(unsigned lanes, std::string_view name) {
  llvm::IRBuilder<> head(storage_end_);
  return out(head.CreateAlloca(llvm::FixedVectorType::get(b_.getInt1Ty(), lanes), nullptr,
                               llvm::StringRef(name.data(), name.size())));
}

LlvmBuilder::Block LlvmBuilder::block(std::string_view name) {
  return {llvm::BasicBlock::Create(module_.getContext(), llvm::StringRef(name.data(), name.size()), &function_)};
}
void LlvmBuilder::at(Block block) { b_.SetInsertPoint(in(block)); }
void LlvmBuilder::jump(Block to) { b_.CreateBr(in(to)); }
void LlvmBuilder::branch(Value condition, Block yes, Block no) { b_.CreateCondBr(in(condition), in(yes), in(no)); }
void LlvmBuilder::branch_unlikely(Value condition, Block rarely, Block mostly) {
  b_.CreateCondBr(in(condition), in(rarely), in(mostly),
                  llvm::MDBuilder(module_.getContext()).createBranchWeights(1, 10000));
}
void LlvmBuilder::choose(Value value, std::span<const std::uint32_t> cases, std::span<const Block> blocks,
                         Block otherwise) {
  llvm::SwitchInst* s = b_.CreateSwitch(in(value), in(otherwise), static_cast<unsigned>(cases.size()));
  for (std::size_t i = 0; i < cases.size(); ++i) s->addCase(b_.getInt32(cases[i]), in(blocks[i]));
}
void LlvmBuilder::leave(Value result) { b_.CreateRet(in(result)); }

void LlvmBuilder::wait(Value result) { (void)call({kWaitMark, {}, false}, std::array{result}); }

LlvmBuilder::Value LlvmBuilder::call(const Callee& callee, std::span<const Value> arguments) {
  // On x86-64 no instruction: it keeps LLVM from moving loads and stores over it. On arm64 one.
  if (callee.name == kFenceMark) return out(b_.CreateFence(llvm::AtomicOrdering::AcquireRelease));
  std::vector<llvm::Value*> values;
  std::vector<llvm::Type*> types;
  for (const Value a : arguments) {
    values.push_back(in(a));
    types.push_back(in(a)->getType());
  }
  llvm::Type* result = callee.has_result ? type_of(callee.result) : b_.getVoidTy();
  llvm::FunctionCallee f = module_.getOrInsertFunction(llvm::StringRef(callee.name.data(), callee.name.size()),
                                                       llvm::FunctionType::get(result, types, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(f.getCallee())) {
    function->setDoesNotThrow();
    if (callee.pure) {
      function->setDoesNotAccessMemory();
      function->setWillReturn();
    }
  }
  return out(b_.CreateCall(f, values));
}

LlvmBuilder::Value LlvmBuilder::call_lanes(const Callee& callee, std::span<const Value> arguments) {
  const unsigned lanes = type(arguments[0]).lanes;
  Value result = constant({callee.result.element, lanes}, 0);
  for (unsigned k = 0; k < lanes; ++k) {
    std::vector<Value> scalars;
    for (const Value a : arguments) scalars.push_back(extract(a, k));
    result = insert(result, call(callee, scalars), k);
  }
  return result;
}

}  // namespace heddle::engine::jit
