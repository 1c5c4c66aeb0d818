// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/shared_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace heddle::engine::jit {
namespace {

/// One use is a function of its own, which costs more than it saves.
constexpr std::size_t kMinUses = 2;
/// What a call may take.
constexpr std::size_t kMaxArguments = 16;

bool has_vectors(const llvm::Instruction& i) {
  const auto is_vector = [](const llvm::Value* v) { return v->getType()->isVectorTy(); };
  return is_vector(&i) || std::any_of(i.value_op_begin(), i.value_op_end(), is_vector);
}

/// Integers up to 32 bits go as 32.
llvm::Type* carrier_of(llvm::Type* type) {
  return type->isIntegerTy() && type->getIntegerBitWidth() < 32 ? llvm::Type::getInt32Ty(type->getContext()) : type;
}
bool can_be_carried(const llvm::Type* type) {
  return type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}
llvm::Value* to_carrier(llvm::IRBuilder<>& b, llvm::Value* value) {
  return value->getType()->isIntegerTy() ? b.CreateZExt(value, carrier_of(value->getType())) : value;
}
llvm::Value* from_carrier(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* type) {
  if (value->getType() == type) return value;
  return type->isIntegerTy(1) ? b.CreateICmpNE(value, llvm::ConstantInt::get(value->getType(), 0))
                              : b.CreateTrunc(value, type);
}

/// The element of a vector constant that is worth an argument: what differs from one instruction to the next.
llvm::Constant* splat_argument(const llvm::Value* v) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(v);
  if (constant == nullptr || !v->getType()->isVectorTy()) return nullptr;
  llvm::Constant* element = constant->getSplatValue();
  if (element == nullptr || element->isNullValue() || element->isAllOnesValue()) return nullptr;
  if (const auto* f = llvm::dyn_cast<llvm::ConstantFP>(element))
    return f->isNaN() || element->getType()->isHalfTy() ? nullptr : element;
  const auto* i = llvm::dyn_cast<llvm::ConstantInt>(element);
  return i != nullptr && i->getBitWidth() >= 8 && i->getBitWidth() <= 64 ? element : nullptr;
}

/// Divisions by numbers that are known are multiplications.
bool keeps_constants(const llvm::Instruction& i) {
  switch (i.getOpcode()) {
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      return true;
    default:
      return llvm::isa<llvm::CallInst>(i);
  }
}

/// What a function is given: a pointer with an offset, a scalar, or the element of a constant.
struct Argument {
  llvm::Value* base = nullptr;
  std::int64_t offset = 0;
  bool operator==(const Argument&) const = default;
};

using Arguments = std::vector<Argument>;

/// Where the function finds its arguments. A pointer from which several begin goes once, and their offsets as numbers.
class Parameters {
 public:
  explicit Parameters(const Arguments& arguments) {
    for (const Argument& a : arguments) {
      const auto begin_there = [&](const Argument& other) { return other.base == a.base; };
      const bool several = a.base->getType()->isPointerTy() && std::ranges::count_if(arguments, begin_there) > 1;
      Place& place = places_.emplace_back();
      place.has_base = several;
      const auto known = several ? std::ranges::find(values_, Value{a.base, false, 0}) : values_.end();
      place.at = static_cast<unsigned>(known - values_.begin());
      if (known == values_.end()) values_.push_back({a.base, false, several ? 0 : a.offset});
      if (several && a.offset != 0) {
        place.offset_at = static_cast<unsigned>(values_.size());
        values_.push_back({nullptr, true, a.offset});
      }
    }
  }

  /// What decides the function's type, but for the types of the arguments.
  void describe(std::vector<std::uint64_t>& key) const {
    for (const Place& place : places_) {
      key.push_back(place.at | std::uint64_t{place.has_base} << 32);
      key.push_back(place.offset_at);
    }
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  [[nodiscard]] std::vector<llvm::Type*> types(llvm::LLVMContext& context) const {
    std::vector<llvm::Type*> types;
    for (const Value& v : values_)
      types.push_back(v.is_offset ? llvm::Type::getInt64Ty(context) : carrier_of(v.base->getType()));
    return types;
  }
  /// Of a call.
  [[nodiscard]] std::vector<llvm::Value*> values(llvm::IRBuilder<>& b) const {
    std::vector<llvm::Value*> values;
    for (const Value& v : values_) {
      if (v.is_offset)
        values.push_back(b.getInt64(static_cast<std::uint64_t>(v.offset)));
      else if (v.offset == 0)
        values.push_back(to_carrier(b, v.base));
      else
        values.push_back(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), v.base, static_cast<std::uint64_t>(v.offset)));
    }
    return values;
  }
  /// Each argument, in the function.
  [[nodiscard]] std::vector<llvm::Value*> given(llvm::IRBuilder<>& b, llvm::Function& function,
                                                const Arguments& arguments) const {
    std::vector<llvm::Value*> given;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      llvm::Value* value = from_carrier(b, function.getArg(places_[k].at), arguments[k].base->getType());
      if (places_[k].offset_at != kNone)
        value = b.CreateInBoundsGEP(b.getInt8Ty(), value, function.getArg(places_[k].offset_at));
      given.push_back(value);
    }
    return given;
  }

 private:
  static constexpr unsigned kNone = ~0u;
  struct Value {
    llvm::Value* base = nullptr;
    bool is_offset = false;
    std::int64_t offset = 0;
    bool operator==(const Value&) const = default;
  };
  struct Place {
    unsigned at = 0, offset_at = kNone;
    bool has_base = false;
  };
  std::vector<Value> values_;
  std::vector<Place> places_;  ///< of each argument
};

/// The LLVM instructions of one instruction of the program that become a function.
struct Step {
  std::vector<llvm::Instruction*> code;
  std::vector<llvm::Instruction*> results;  ///< scalars that are used elsewhere
};

class StepSharing {
  using Numbers = llvm::DenseMap<const llvm::Value*, unsigned>;

 public:
  explicit StepSharing(llvm::Function& kernel)
      : kernel_(kernel),
        layout_(kernel.getParent()->getDataLayout()),
        mark_(kernel.getContext().getMDKindID(kStepMark)) {}

  void run() {
    for (llvm::BasicBlock& block : kernel_) collect(block);
    for (const std::vector<Step>& steps : alike_)
      if (steps.size() >= kMinUses) share(steps);
    std::vector<llvm::BasicBlock*> blocks;
    for (llvm::BasicBlock& block : kernel_) blocks.push_back(&block);
    for (llvm::BasicBlock* block : blocks) part(*block);
  }

 private:
  static bool divides(const llvm::Instruction& i) {
    if (i.isTerminator() || llvm::isa<llvm::PHINode, llvm::AllocaInst, llvm::FenceInst>(i)) return true;
    return llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i);
  }

  void collect(llvm::BasicBlock& block) {
    std::vector<llvm::Instruction*> run;
    for (llvm::Instruction& i : block) {
      if (divides(i)) {
        finish(run);
        continue;
      }
      run.push_back(&i);
      if (i.getMetadata(mark_) != nullptr) finish(run);
    }
    finish(run);
  }

  /// Vectors that stay get blocks of their own: where LLVM's quick selection meets one, the slow one takes all of the
  /// block that comes before.
  static void part(llvm::BasicBlock& block) {
    std::vector<llvm::Instruction*> places;
    bool vectors = false;
    for (llvm::Instruction& i : block) {
      if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(i) || i.isTerminator()) continue;
      const bool now = vectors ? !divides(i) : has_vectors(i);
      if (now != vectors && &i != &block.front()) places.push_back(&i);
      vectors = now;
    }
    // From the end: the rest of a block moves once.
    for (auto place = places.rbegin(); place != places.rend(); ++place) block.splitBasicBlock(*place);
  }

  /// What needs nothing of the step and may go before it.
  static bool goes_before(const llvm::Instruction& i, const Numbers& inside) {
    if (has_vectors(i)) return false;
    if (i.mayWriteToMemory()) return false;
    if (i.mayReadFromMemory() && i.getMetadata(llvm::LLVMContext::MD_invariant_load) == nullptr) return false;
    return std::none_of(i.value_op_begin(), i.value_op_end(), [&](const llvm::Value* v) { return inside.contains(v); });
  }

  void finish(std::vector<llvm::Instruction*>& run) {
    if (std::ranges::any_of(run, [](const llvm::Instruction* i) { return has_vectors(*i); })) consider(run);
    run.clear();
  }

  void consider(const std::vector<llvm::Instruction*>& run) {
    Step step;
    Numbers inside;
    for (llvm::Instruction* i : run) {
      if (goes_before(*i, inside)) continue;
      inside[i] = static_cast<unsigned>(step.code.size());
      step.code.push_back(i);
    }
    std::vector<std::uint64_t> key;
    Arguments arguments;
    for (const llvm::Instruction* i : step.code)
      if (!describe(*i, arguments, inside, key)) return;
    const Parameters parameters(arguments);
    parameters.describe(key);
    for (llvm::Instruction* i : step.code) {
      const bool seen = std::ranges::any_of(i->users(), [&](const llvm::User* u) { return !inside.contains(u); });
      if (!seen) continue;
      if (!can_be_carried(i->getType())) return;
      key.push_back(inside[i]);
      step.results.push_back(i);
    }
    if (parameters.size() + step.results.size() > kMaxArguments) return;
    const auto [at, added] = numbers_.try_emplace(std::move(key), alike_.size());
    if (added) alike_.emplace_back();
    alike_[at->second].push_back(std::move(step));
  }

  static std::uint64_t word(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

  /// All that decides what the instruction does but the arguments; false where it cannot be in a function.
  bool describe(const llvm::Instruction& i, Arguments& arguments, const Numbers& inside,
                std::vector<std::uint64_t>& key) const {
    key.push_back(i.getOpcode() | std::uint64_t{i.getRawSubclassOptionalData()} << 32);
    key.push_back(word(i.getType()));
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) key.push_back(load->getAlign().value());
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) key.push_back(store->getAlign().value());
    if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i)) key.push_back(compare->getPredicate());
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&i))
      key.push_back(word(address->getSourceElementType()));
    if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i))
      for (const int lane : shuffle->getShuffleMask()) key.push_back(static_cast<std::uint32_t>(lane));
    for (const llvm::Use& use : i.operands()) {
      if (const auto own = inside.find(use.get()); own != inside.end()) {
        key.push_back(std::uint64_t{own->second} << 2);
        continue;
      }
      const std::optional<Argument> argument = argument_of(i, use.get());
      if (argument) {
        if (!can_be_carried(argument->base->getType())) return false;
        key.push_back(std::uint64_t{number_of(*argument, arguments)} << 2 | 1);
        key.push_back(word(use->getType()));  // from which the argument's follows
      } else {
        key.push_back(2);
        key.push_back(word(use.get()));
      }
    }
    return true;
  }

  static std::size_t number_of(const Argument& argument, Arguments& arguments) {
    const auto at = std::ranges::find(arguments, argument);
    const auto number = static_cast<std::size_t>(at - arguments.begin());
    if (at == arguments.end()) arguments.push_back(argument);
    return number;
  }
  /// In the order in which describe meets them. Steps before may have been replaced since then.
  Arguments arguments_of(const Step& step) const {
    Arguments arguments;
    llvm::DenseSet<const llvm::Value*> inside(step.code.begin(), step.code.end());
    for (const llvm::Instruction* i : step.code)
      for (const llvm::Use& use : i->operands())
        if (!inside.contains(use.get()))
          if (const std::optional<Argument> argument = argument_of(*i, use.get()))
            (void)number_of(*argument, arguments);
    return arguments;
  }

  /// Nothing: a constant of the code.
  std::optional<Argument> argument_of(const llvm::Instruction& user, llvm::Value* v) const {
    if (llvm::isa<llvm::Constant>(v)) {
      llvm::Constant* element = keeps_constants(user) ? nullptr : splat_argument(v);
      return element != nullptr ? std::optional(Argument{element, 0}) : std::nullopt;
    }
    if (llvm::isa<llvm::MetadataAsValue>(v)) return std::nullopt;
    if (!v->getType()->isPointerTy()) return Argument{v, 0};
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(v->getType()), 0);
    llvm::Value* base = v->stripAndAccumulateConstantOffsets(layout_, offset, true);
    return Argument{base, offset.getSExtValue()};
  }

  /// One function for steps that are alike, and a call in place of each.
  void share(const std::vector<Step>& steps) {
    const std::vector<std::uint64_t> shape = shape_of(steps.front());
    llvm::Function& function = make_function(steps.front());
    for (const Step& step : steps)
      if (shape_of(step) == shape) replace(step, function);
  }

  /// Steps that were replaced may have given pointers of this one another beginning.
  [[nodiscard]] std::vector<std::uint64_t> shape_of(const Step& step) const {
    std::vector<std::uint64_t> shape;
    Parameters(arguments_of(step)).describe(shape);
    return shape;
  }

  llvm::Function& make_function(const Step& step) {
    llvm::LLVMContext& context = kernel_.getContext();
    const Arguments arguments = arguments_of(step);
    std::vector<llvm::Type*> types = Parameters(arguments).types(context);
    for (std::size_t k = 1; k < step.results.size(); ++k) types.push_back(llvm::PointerType::get(context, 0));
    llvm::Type* result = step.results.empty() ? llvm::Type::getVoidTy(context) : carrier_of(step.results[0]->getType());
    llvm::Function* function =
        llvm::Function::Create(llvm::FunctionType::get(result, types, false), llvm::Function::InternalLinkage,
                               "heddle_step" + std::to_string(made_++), kernel_.getParent());
    for (const char* name : {"target-cpu", "target-features", "prefer-vector-width", "min-legal-vector-width"})
      if (kernel_.hasFnAttribute(name)) function->addFnAttr(kernel_.getFnAttribute(name));
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::NoInline);
    fill(*function, step, arguments);
    return *function;
  }

  void fill(llvm::Function& function, const Step& step, Arguments arguments) {
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(function.getContext(), "", &function));
    llvm::DenseMap<const llvm::Value*, llvm::Value*> copies;
    const Parameters parameters(arguments);
    const std::vector<llvm::Value*> given = parameters.given(b, function, arguments);
    for (llvm::Instruction* i : step.code) {
      llvm::Instruction* copy = i->clone();
      copy->dropUnknownNonDebugMetadata();
      for (unsigned o = 0; o < i->getNumOperands(); ++o) {
        llvm::Value* operand = i->getOperand(o);
        if (llvm::Value* own = copies.lookup(operand)) {
          copy->setOperand(o, own);
        } else if (const std::optional<Argument> argument = argument_of(*i, operand)) {
          llvm::Value* value = given[number_of(*argument, arguments)];
          if (operand->getType()->isVectorTy())
            value = b.CreateVectorSplat(llvm::cast<llvm::VectorType>(operand->getType())->getElementCount(), value);
          copy->setOperand(o, value);
        }
      }
      b.Insert(copy);
      copies[i] = copy;
    }
    for (std::size_t k = 1; k < step.results.size(); ++k)
      b.CreateStore(to_carrier(b, copies[step.results[k]]),
                    function.getArg(static_cast<unsigned>(parameters.size() + k - 1)));
    if (step.results.empty())
      b.CreateRetVoid();
    else
      b.CreateRet(to_carrier(b, copies[step.results[0]]));
  }

  /// Storage for a result that is not the first.
  llvm::Value* place_of(std::size_t number, llvm::Type* type) {
    llvm::Value*& place = places_[{number, type}];
    if (place == nullptr) {
      llvm::IRBuilder<> head(&*kernel_.getEntryBlock().getFirstInsertionPt());
      place = head.CreateAlloca(type);
    }
    return place;
  }

  void replace(const Step& step, llvm::Function& function) {
    llvm::IRBuilder<> b(step.code.back());
    std::vector<llvm::Value*> values = Parameters(arguments_of(step)).values(b);
    const std::size_t given = values.size();
    for (std::size_t k = 1; k < step.results.size(); ++k)
      values.push_back(place_of(k, carrier_of(step.results[k]->getType())));
    llvm::Value* first = b.CreateCall(&function, values);
    for (std::size_t k = 0; k < step.results.size(); ++k) {
      llvm::Type* type = step.results[k]->getType();
      llvm::Value* carried = k == 0 ? first : b.CreateLoad(carrier_of(type), values[given + k - 1]);
      step.results[k]->replaceAllUsesWith(from_carrier(b, carried, type));
    }
    for (auto i = step.code.rbegin(); i != step.code.rend(); ++i) (*i)->eraseFromParent();
  }

  llvm::Function& kernel_;
  const llvm::DataLayout& layout_;
  unsigned mark_, made_ = 0;
  std::map<std::vector<std::uint64_t>, std::size_t> numbers_;
  std::vector<std::vector<Step>> alike_;  ///< in the order of the first ones
  std::map<std::pair<std::size_t, llvm::Type*>, llvm::Value*> places_;
};

}  // namespace

void share_steps(llvm::Function& kernel) { StepSharing(kernel).run(); }

}  // namespace heddle::engine::jit
