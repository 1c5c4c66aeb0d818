#include "engine/jit/llvm/link_lanes.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include "engine/jit/llvm/lanes_bitcode.hpp"
#include "unit/lanes/state.hpp"

namespace heddle::engine::jit {
namespace {

/// The channels of `out` that no use of one of its pointers reads, a bit each.
unsigned unread_channels(llvm::Value* out, unsigned lanes, const llvm::DataLayout& layout) {
  constexpr unsigned kChannels = 15;
  const std::uint64_t size = std::uint64_t{4} * lanes;
  unsigned read = 0;
  std::vector<std::pair<llvm::Value*, std::uint64_t>> pointers{{out, 0}};
  while (!pointers.empty()) {
    const auto [pointer, offset] = pointers.back();
    pointers.pop_back();
    for (llvm::User* user : pointer->users()) {
      if (llvm::isa<llvm::CallInst>(user)) continue;  // the operation itself; the start and the end of a life
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
    if (call == nullptr || !llvm::isa<llvm::AllocaInst>(call->getArgOperand(3))) return 0;
    unread &= unread_channels(call->getArgOperand(3), lanes, layout);
  }
  return unread;
}

/// heddle_image_n(varying, inputs, mask, out, thread) calls the entry point with its state as a constant, into which it
/// is then inlined.
void define(llvm::Module& module, const Images::Function& f, const llvm::Function& attributes) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *word = llvm::Type::getInt32Ty(context),
             *none = llvm::Type::getVoidTy(context);
  llvm::Function* function = module.getFunction(f.name);
  if (function == nullptr) return;
  std::vector<std::uint8_t> state(f.fixed.begin(), f.fixed.end());
  if (f.lanes != 0)
    state[offsetof(unit::lanes::Fixed, unread)] =
        static_cast<std::uint8_t>(unread_channels(*function, f.lanes, module.getDataLayout()));
  llvm::Constant* bytes = llvm::ConstantDataArray::get(context, llvm::ArrayRef<std::uint8_t>(state));
  auto* fixed =
      new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes, "fixed");
  fixed->setAlignment(llvm::Align(8));
  std::vector<llvm::Type*> types{pointer, pointer, pointer, word, pointer};
  if (!f.writes) types.push_back(pointer);
  const llvm::FunctionCallee entry = module.getOrInsertFunction(f.entry, llvm::FunctionType::get(none, types, false));
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
