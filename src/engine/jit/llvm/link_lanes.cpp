#include "engine/jit/llvm/link_lanes.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "engine/jit/llvm/lanes_bitcode.hpp"

namespace heddle::engine::jit {
namespace {

/// heddle_image_n(varying, inputs, mask, out, thread) calls the entry point with its state as a constant, and is the
/// entry point then.
llvm::Function* define(llvm::Module& module, const Images::Function& f, const llvm::Function& attributes) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *word = llvm::Type::getInt32Ty(context),
             *none = llvm::Type::getVoidTy(context);
  llvm::Constant* bytes =
      llvm::ConstantDataArray::get(context, llvm::ArrayRef<std::uint8_t>(f.fixed.data(), f.fixed.size()));
  auto* fixed =
      new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes, "fixed");
  fixed->setAlignment(llvm::Align(8));
  std::vector<llvm::Type*> types{pointer, pointer, pointer, word, pointer};
  if (!f.writes) types.push_back(pointer);
  const llvm::FunctionCallee entry = module.getOrInsertFunction(f.entry, llvm::FunctionType::get(none, types, false));
  types.erase(types.begin());
  llvm::Function* function = llvm::Function::Create(llvm::FunctionType::get(none, types, false),
                                                    llvm::Function::ExternalLinkage, f.name, module);
  for (const llvm::Attribute attribute : attributes.getAttributes().getFnAttrs()) function->addFnAttr(attribute);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  std::vector<llvm::Value*> values{fixed};
  for (llvm::Argument& argument : function->args()) values.push_back(&argument);
  b.CreateCall(entry, values);
  b.CreateRetVoid();
  return function;
}

/// Inlines the entry point, then the pieces (functions marked noinline in unit/lanes) that are still called: branches
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
      if (callee.isDeclaration()) return llvm::createStringError("the image unit has no function " + callee.getName());
      llvm::InlineFunctionInfo info;
      const llvm::InlineResult result = llvm::InlineFunction(*call, info, true, nullptr, false);
      if (!result.isSuccess()) return llvm::createStringError(result.getFailureReason());
    }
  return llvm::Error::success();
}

}  // namespace

std::string link_lanes(llvm::Module& module, const Images& images, bool wide, const llvm::Function& attributes) {
  if (images.functions().empty()) return {};
  const std::string_view bitcode = lanes_bitcode(wide);
  auto parsed = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "lanes"), module.getContext());
  if (!parsed) return "the image unit's code cannot be read: " + llvm::toString(parsed.takeError());
  llvm::Module& lanes = **parsed;
  lanes.setDataLayout(module.getDataLayout());
  lanes.setTargetTriple(module.getTargetTriple());
  for (const Images::Function& f : images.functions()) {
    if (module.getFunction(f.name) == nullptr) continue;
    llvm::Function* function = define(lanes, f, attributes);
    if (llvm::Error error = inline_pieces(*function, f.entry)) return llvm::toString(std::move(error));
  }
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded))
    return "the image unit's code cannot be linked";
  for (const Images::Function& f : images.functions())
    if (llvm::Function* function = module.getFunction(f.name)) function->setLinkage(llvm::GlobalValue::InternalLinkage);
  return {};
}

}  // namespace heddle::engine::jit
