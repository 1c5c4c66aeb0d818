// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/link_kernels.hpp"

#include <array>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "engine/jit/llvm/kernel_bitcode.hpp"

namespace heddle::engine::jit {
namespace {

/// The channels of `out` that no use of one of its pointers reads, a bit each.
unsigned unread_channels(llvm::Value* out, const llvm::Function& operation, unsigned lanes,
                         const llvm::DataLayout& layout) {
  constexpr unsigned kChannels = 15;
  const std::uint64_t size = std::uint64_t{4} * lanes;
  unsigned read = 0;
  std::vector<std::pair<llvm::Value*, std::uint64_t>> pointers{{out, 0}};
  while (!pointers.empty()) {
    const auto [pointer, offset] = pointers.back();
    pointers.pop_back();
    for (llvm::User* user : pointer->users()) {
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) {
        if (call->getCalledFunction() == &operation || call->isLifetimeStartOrEnd()) continue;
        return 0;
      }
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        const std::uint64_t end = offset + layout.getTypeStoreSize(load->getType()).getFixedValue();
        for (std::uint64_t c = offset / size; c * size < end && c < 4; ++c) read |= 1u << c;
        continue;
      }
      auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
      llvm::APInt by(64, 0);
      if (place == nullptr || !place->accumulateConstantOffset(layout, by) || by.isNegative()) return 0;
      pointers.emplace_back(place, offset + by.getZExtValue());
    }
  }
  return ~read & kChannels;
}

/// The same for all calls of an image operation.
unsigned unread_channels(const llvm::Function& function, unsigned lanes, const llvm::DataLayout& layout) {
  unsigned unread = 15;
  for (const llvm::User* user : function.users()) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    llvm::Value* out = call != nullptr ? call->getArgOperand(call->arg_size() - 2) : nullptr;
    if (out == nullptr || !llvm::isa<llvm::AllocaInst>(out)) return 0;
    unread &= unread_channels(out, function, lanes, layout);
  }
  return unread;
}

/// The kernel's inputs, made of the pointers that `function` has as its arguments behind the first.
llvm::Value* make_inputs(llvm::IRBuilder<>& b, const llvm::Function& function,
                         const machine::jit::PreparedMessage::Function& kernel) {
  llvm::AllocaInst* inputs = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), kernel.input_bytes));
  inputs->setAlignment(llvm::Align(8));
  b.CreateMemSet(inputs, b.getInt8(0), kernel.input_bytes, llvm::Align(8));
  for (unsigned k = 0; k < kernel.inputs.size(); ++k)
    b.CreateStore(function.getArg(1 + k), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), inputs, kernel.inputs[k]));
  return inputs;
}

std::vector<std::uint8_t> complete_state(const Images::Function& f, unsigned unread, const LanesTarget& target) {
  std::vector<std::uint8_t> state(f.kernel.static_state.begin(), f.kernel.static_state.end());
  f.message->complete(state, {.unread_channels = unread, .has_vbmi = target.has_vbmi});
  return state;
}

/// A function calls the entry point with its state as a constant, and is the entry point then.
llvm::Function* define(llvm::Module& module, const std::string& name,
                       const machine::jit::PreparedMessage::Function& kernel, const std::string& entry_point,
                       const std::vector<std::uint8_t>& state, const llvm::Function& attributes) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *word = llvm::Type::getInt32Ty(context),
             *none = llvm::Type::getVoidTy(context);
  llvm::Constant* bytes = llvm::ConstantDataArray::get(context, llvm::ArrayRef<std::uint8_t>(state));
  auto* static_state =
      new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes, "fixed");
  static_state->setAlignment(llvm::Align(8));
  std::vector<llvm::Type*> types{pointer, pointer, pointer, word, pointer};
  if (kernel.has_output) types.push_back(pointer);
  const llvm::FunctionCallee entry =
      module.getOrInsertFunction(entry_point, llvm::FunctionType::get(none, types, false));
  types.erase(types.begin());
  if (kernel.input_bytes != 0) {
    types.erase(types.begin() + 1);
    types.insert(types.begin() + 1, kernel.inputs.size(), pointer);
  }
  llvm::Function* function = llvm::Function::Create(llvm::FunctionType::get(none, types, false),
                                                    llvm::Function::ExternalLinkage, name, module);
  for (const llvm::Attribute attribute : attributes.getAttributes().getFnAttrs()) function->addFnAttr(attribute);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  std::vector<llvm::Value*> values{static_state, function->getArg(0)};
  unsigned next = 1;
  if (kernel.input_bytes != 0) {
    values.push_back(make_inputs(b, *function, kernel));
    next += static_cast<unsigned>(kernel.inputs.size());
  }
  for (; next < function->arg_size(); ++next) values.push_back(function->getArg(next));
  b.CreateCall(entry, values);
  b.CreateRetVoid();
  return function;
}

/// A call of a state that the code does not know.
void count_unknown(llvm::IRBuilder<>& b, llvm::Value* handle_call) {
  const auto at = [&](llvm::Value* pointer, std::size_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), pointer, offset);
  };
  llvm::Value* const count =
      at(b.CreateLoad(b.getPtrTy(), at(handle_call, offsetof(HandleCall, calls))), offsetof(StateCalls, unknown));
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), count), b.getInt64(1)), count);
}

/// A function calls what the MessageCall says that its first argument points to.
llvm::Function* define_open(llvm::Module& module, const llvm::Function& declared, const Images::Function& of, bool wide,
                            const llvm::Function& attributes, bool by_handle) {
  const machine::jit::PreparedMessage::Function& kernel = of.kernel;
  using machine::jit::MessageCall;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *word = llvm::Type::getInt32Ty(context);
  llvm::Function* function =
      llvm::Function::Create(declared.getFunctionType(), llvm::Function::InternalLinkage, "open_message", module);
  for (const llvm::Attribute attribute : attributes.getAttributes().getFnAttrs()) function->addFnAttr(attribute);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  const auto field = [&](std::size_t offset) {
    return b.CreateLoad(pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), function->getArg(0), offset));
  };
  std::vector<llvm::Value*> values{field(offsetof(MessageCall, static_state)),
                                   field(offsetof(MessageCall, dynamic_state))};
  if (of.likely != nullptr) {
    llvm::BasicBlock* const known = llvm::BasicBlock::Create(context, "known", function);
    llvm::BasicBlock* const other = llvm::BasicBlock::Create(context, "other", function);
    const machine::jit::PreparedMessage::Function likely = of.likely_kernel();
    const machine::jit::StateNumber number = machine::jit::state_number(likely.entry, likely.static_state);
    const auto differs = [&](std::size_t offset, std::uint64_t half) {
      llvm::Value* const at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), function->getArg(0), offset);
      return b.CreateXor(b.CreateLoad(b.getInt64Ty(), at), b.getInt64(half));
    };
    constexpr std::size_t kLow = offsetof(MessageCall, state) + offsetof(machine::jit::StateNumber, low),
                          kHigh = offsetof(MessageCall, state) + offsetof(machine::jit::StateNumber, high);
    b.CreateCondBr(b.CreateIsNull(b.CreateOr(differs(kLow, number.low), differs(kHigh, number.high))), known, other);
    b.SetInsertPoint(known);
    std::vector<llvm::Value*> arguments{values[1]};
    for (unsigned k = 1; k < function->arg_size(); ++k) arguments.push_back(function->getArg(k));
    b.CreateCall(module.getOrInsertFunction(likely_name(of), declared.getFunctionType()), arguments);
    b.CreateRetVoid();
    b.SetInsertPoint(other);
  }
  if (by_handle) count_unknown(b, function->getArg(0));
  unsigned next = 1;
  if (kernel.input_bytes != 0) {
    values.push_back(make_inputs(b, *function, kernel));
    next += static_cast<unsigned>(kernel.inputs.size());
  }
  for (; next < function->arg_size(); ++next) values.push_back(function->getArg(next));
  std::vector<llvm::Type*> types{pointer, pointer, pointer, word, pointer};
  if (kernel.has_output) types.push_back(pointer);
  b.CreateCall(llvm::FunctionType::get(b.getVoidTy(), types, false),
               field(offsetof(MessageCall, kernels) + (wide ? sizeof(void*) : 0)), values);
  b.CreateRetVoid();
  return function;
}

/// Inlines the entry point, then the pieces (functions marked noinline in texture/simd) that are still called: branches
/// on the constant state go while a body is copied, so most pieces are never read from the bitcode.
llvm::Error inline_pieces(llvm::Function& function, const std::string& entry) {
  const auto piece = [&](llvm::Instruction& i) -> llvm::CallBase* {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee == nullptr || callee->isIntrinsic()) return nullptr;
    return callee->hasFnAttribute(llvm::Attribute::NoInline) || callee->getName() == entry ? call : nullptr;
  };
  std::vector<llvm::CallBase*> open;
  const auto look = [&] {
    open.clear();
    for (llvm::Instruction& i : llvm::instructions(function))
      if (llvm::CallBase* call = piece(i)) open.push_back(call);
  };
  for (look(); !open.empty(); look())
    for (llvm::CallBase* call : open) {
      llvm::Function& callee = *call->getCalledFunction();
      if (llvm::Error error = callee.materialize()) return error;
      if (callee.isDeclaration())
        return llvm::createStringError("the texture unit has no function " + callee.getName());
      llvm::InlineFunctionInfo info;
      const llvm::InlineResult result = llvm::InlineFunction(*call, info, true, nullptr, false);
      if (!result.isSuccess()) return llvm::createStringError(result.getFailureReason());
    }
  return llvm::Error::success();
}

}  // namespace

std::string likely_name(const Images::Function& f) { return f.name + "_likely"; }

void call_open_kernels(llvm::Module& module, const std::vector<Images::Function>& functions, const LanesTarget& target,
                       const llvm::Function& attributes, bool by_handle) {
  for (const Images::Function& f : functions) {
    llvm::Function* declared = f.open ? module.getFunction(f.name) : nullptr;
    if (declared == nullptr) continue;
    llvm::Function* function = define_open(module, *declared, f, target.wide, attributes, by_handle);
    declared->replaceAllUsesWith(function);
    declared->eraseFromParent();
  }
}

ImageFunction image_function(const Images::Function& f, const llvm::Function& declared, const LanesTarget& target) {
  const unsigned words = f.kernel.channel_words;
  const unsigned unread = words != 0 ? unread_channels(declared, words, declared.getParent()->getDataLayout()) : 0;
  return {&f, complete_state(f, unread, target), f.kernel.one_texel && __builtin_popcount(unread) == 3};
}

std::string description_of(const ImageFunction& f, const llvm::TargetMachine& target) {
  const machine::jit::PreparedMessage::Function& kernel = f.of->kernel;
  const LanesTarget lanes = lanes_of(target);
  std::string all;
  const auto add = [&](const auto& bytes) {
    const std::uint64_t size = bytes.size() * sizeof bytes[0];
    all.append(reinterpret_cast<const char*>(&size), sizeof size);
    all.append(reinterpret_cast<const char*>(bytes.data()), size);
  };
  add(kernel.entry);
  add(f.state);
  add(target.getTargetCPU());
  add(target.getTargetFeatureString());
  add(std::vector<std::uint64_t>(kernel.inputs.begin(), kernel.inputs.end()));
  add(std::array<std::uint64_t, 5>{kernel.input_bytes, kernel.has_output, f.one_texel, lanes.wide, lanes.has_vbmi});
  return all;
}

std::unique_ptr<llvm::Module> make_image_module(const ImageFunction& f, const LanesTarget& target,
                                                const llvm::Function& attributes, std::string& error) {
  const llvm::Module& kernel = *attributes.getParent();
  const std::string_view bitcode = kernel_bitcode(target.wide);
  auto parsed = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "lanes"), kernel.getContext());
  if (!parsed) {
    error = "the texture unit's code cannot be read: " + llvm::toString(parsed.takeError());
    return nullptr;
  }
  llvm::Module& lanes = **parsed;
  auto made = std::make_unique<llvm::Module>("image", kernel.getContext());
  for (llvm::Module* module : {&lanes, made.get()}) {
    module->setDataLayout(kernel.getDataLayout());
    module->setTargetTriple(kernel.getTargetTriple());
  }
  const std::string& entry = f.of->kernel.entry;
  llvm::Function* function = define(lanes, kImageFunction, f.of->kernel, entry, f.state, attributes);
  function->addFnAttr("stackrealign");  // which waits take from the kernel: the function is everybody's
  if (f.one_texel) function->addFnAttr(kOneTexel);
  if (llvm::Error problem = inline_pieces(*function, entry)) {
    error = llvm::toString(std::move(problem));
    return nullptr;
  }
  llvm::Function::Create(function->getFunctionType(), llvm::GlobalValue::ExternalLinkage, kImageFunction, *made);
  if (llvm::Linker::linkModules(*made, std::move(*parsed), llvm::Linker::LinkOnlyNeeded)) {
    error = "the texture unit's code cannot be linked";
    return nullptr;
  }
  return made;
}

KeptFunctions::Code code_of(const llvm::Module& image) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(image, stream);
  return {bytes.begin(), bytes.end()};
}

bool link_image_code(llvm::Module& module, const std::string& name, const KeptFunctions::Code& code) {
  auto parsed = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(llvm::StringRef(reinterpret_cast<const char*>(code.data()), code.size()), "image"),
      module.getContext());
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  llvm::Function* function = (*parsed)->getFunction(kImageFunction);
  const llvm::Function* declared = module.getFunction(name);
  if (function == nullptr || function->isDeclaration() || declared == nullptr ||
      function->getFunctionType() != declared->getFunctionType())
    return false;
  function->setName(name);
  if (llvm::Linker::linkModules(module, std::move(*parsed))) return false;
  module.getFunction(name)->setLinkage(llvm::GlobalValue::InternalLinkage);
  return true;
}

}  // namespace heddle::engine::jit
