#include "engine/jit/llvm/link_kernels.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
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
                         const machine::jit::PreparedMessage::Kernel& kernel) {
  llvm::AllocaInst* inputs = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), kernel.input_bytes));
  inputs->setAlignment(llvm::Align(8));
  b.CreateMemSet(inputs, b.getInt8(0), kernel.input_bytes, llvm::Align(8));
  for (unsigned k = 0; k < kernel.inputs.size(); ++k)
    b.CreateStore(function.getArg(1 + k), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), inputs, kernel.inputs[k]));
  return inputs;
}

/// heddle_image_n (MessageUse::function) calls the entry point with its state as a constant, and is the entry point
/// then.
llvm::Function* define(llvm::Module& module, const Images::Function& f, unsigned unread, const LanesTarget& target,
                       const llvm::Function& attributes) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *word = llvm::Type::getInt32Ty(context),
             *none = llvm::Type::getVoidTy(context);
  std::vector<std::uint8_t> state(f.kernel.static_state.begin(), f.kernel.static_state.end());
  f.message->complete(state, {.unread_channels = unread, .has_vbmi = target.has_vbmi});
  llvm::Constant* bytes = llvm::ConstantDataArray::get(context, llvm::ArrayRef<std::uint8_t>(state));
  auto* static_state =
      new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes, "fixed");
  static_state->setAlignment(llvm::Align(8));
  std::vector<llvm::Type*> types{pointer, pointer, pointer, word, pointer};
  if (f.kernel.has_output) types.push_back(pointer);
  const llvm::FunctionCallee entry =
      module.getOrInsertFunction(f.kernel.entry, llvm::FunctionType::get(none, types, false));
  types.erase(types.begin());
  if (f.kernel.input_bytes != 0) {
    types.erase(types.begin() + 1);
    types.insert(types.begin() + 1, f.kernel.inputs.size(), pointer);
  }
  llvm::Function* function = llvm::Function::Create(llvm::FunctionType::get(none, types, false),
                                                    llvm::Function::ExternalLinkage, f.name, module);
  for (const llvm::Attribute attribute : attributes.getAttributes().getFnAttrs()) function->addFnAttr(attribute);
  if (f.kernel.one_texel && __builtin_popcount(unread) == 3) function->addFnAttr(kOneTexel);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  std::vector<llvm::Value*> values{static_state, function->getArg(0)};
  unsigned next = 1;
  if (f.kernel.input_bytes != 0) {
    values.push_back(make_inputs(b, *function, f.kernel));
    next += static_cast<unsigned>(f.kernel.inputs.size());
  }
  for (; next < function->arg_size(); ++next) values.push_back(function->getArg(next));
  b.CreateCall(entry, values);
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

void call_native_kernels(llvm::Module& module, const std::vector<Images::Function>& functions,
                         const LanesTarget& target, const llvm::Function& attributes) {
  for (Images::Function f : functions) {
    llvm::Function* declared = module.getFunction(f.name);
    if (declared == nullptr) continue;
    f.kernel.entry += target.wide ? "_v4" : "_v3";
    declared->setName("");
    llvm::Function* function = define(module, f, 0, target, attributes);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    declared->replaceAllUsesWith(function);
    declared->eraseFromParent();
  }
}

std::string link_kernels(llvm::Module& module, const std::vector<Images::Function>& functions,
                         const LanesTarget& target, const llvm::Function& attributes) {
  if (functions.empty()) return {};
  const std::string_view bitcode = kernel_bitcode(target.wide);
  auto parsed = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "lanes"), module.getContext());
  if (!parsed) return "the texture unit's code cannot be read: " + llvm::toString(parsed.takeError());
  llvm::Module& lanes = **parsed;
  lanes.setDataLayout(module.getDataLayout());
  lanes.setTargetTriple(module.getTargetTriple());
  for (const Images::Function& f : functions) {
    const llvm::Function* declared = module.getFunction(f.name);
    if (declared == nullptr) continue;
    const unsigned words = f.kernel.channel_words;
    const unsigned unread = words != 0 ? unread_channels(*declared, words, module.getDataLayout()) : 0;
    llvm::Function* function = define(lanes, f, unread, target, attributes);
    if (llvm::Error error = inline_pieces(*function, f.kernel.entry)) return llvm::toString(std::move(error));
  }
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded))
    return "the texture unit's code cannot be linked";
  for (const Images::Function& f : functions)
    if (llvm::Function* function = module.getFunction(f.name)) function->setLinkage(llvm::GlobalValue::InternalLinkage);
  return {};
}

}  // namespace heddle::engine::jit
