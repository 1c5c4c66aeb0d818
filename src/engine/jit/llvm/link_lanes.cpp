#include "engine/jit/llvm/link_lanes.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include "engine/jit/llvm/lanes_bitcode.hpp"

namespace heddle::engine::jit {
namespace {

/// heddle_image_n(varying, inputs, mask, out, thread) calls the entry point with its state as a constant, into which it
/// is then inlined.
void define(llvm::Module& module, const Images::Function& f, const llvm::Function& attributes) {
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
  llvm::Function* function = module.getFunction(f.name);
  if (function == nullptr) return;
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  for (const llvm::Attribute attribute : attributes.getAttributes().getFnAttrs()) function->addFnAttr(attribute);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  std::vector<llvm::Value*> values{fixed};
  for (llvm::Argument& argument : function->args()) values.push_back(&argument);
  b.CreateCall(entry, values);
  b.CreateRetVoid();
}

}  // namespace

std::string link_lanes(llvm::Module& module, const Images& images, bool wide, const llvm::Function& attributes) {
  if (images.functions().empty()) return {};
  const std::string_view bitcode = lanes_bitcode(wide);
  auto parsed = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "lanes"), module.getContext());
  if (!parsed) return "the image unit's code cannot be read: " + llvm::toString(parsed.takeError());
  for (const Images::Function& f : images.functions()) define(module, f, attributes);
  (*parsed)->setDataLayout(module.getDataLayout());
  (*parsed)->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded))
    return "the image unit's code cannot be linked";
  for (const Images::Function& f : images.functions()) {
    llvm::Function* entry = module.getFunction(f.entry);
    if (entry == nullptr || entry->isDeclaration()) return "the image unit has no function " + f.entry;
    entry->setLinkage(llvm::GlobalValue::InternalLinkage);
    entry->removeFnAttr(llvm::Attribute::NoInline);
    entry->addFnAttr(llvm::Attribute::AlwaysInline);
  }
  return {};
}

}  // namespace heddle::engine::jit
