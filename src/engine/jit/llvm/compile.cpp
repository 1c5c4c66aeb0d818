// SPDX-License-Identifier: MIT
#include <algorithm>

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "engine/jit/codegen/module.hpp"
#include "engine/jit/llvm/builder.hpp"
#include "engine/jit/llvm/passes.hpp"

namespace heddle::engine::jit {
namespace {

/// Of functions with more blocks or instructions, or with many of both, LLVM's register allocator takes longer than all
/// else together, and its time grows with their square and more: 12 seconds for 3000 blocks.
constexpr std::uint64_t kManyBlocks = 2000, kManyInstructions = 20'000, kManyOfBoth = 10'000'000;
bool is_long(const llvm::Function& function) {
  const std::uint64_t blocks = function.size(), instructions = function.getInstructionCount();
  return blocks > kManyBlocks || instructions > kManyInstructions || blocks * instructions > kManyOfBoth;
}

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// The kernel's function, without a body.
llvm::Function& declare_kernel(llvm::Module& module, const llvm::TargetMachine& target) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer, pointer, pointer, pointer}, false),
      llvm::Function::ExternalLinkage, "heddle_kernel", module);
  function->setDoesNotThrow();
  function->addFnAttr("stackrealign");  // spilled vectors lie in one cache line each
  function->addFnAttr("target-cpu", target.getTargetCPU());
  function->addFnAttr("target-features", target.getTargetFeatureString());
  if (lanes_of(target).wide) {
    function->addFnAttr("prefer-vector-width", "512");
    function->addFnAttr("min-legal-vector-width", "512");
  }
  for (unsigned i = 0; i < 5; ++i) function->addParamAttr(i, llvm::Attribute::NoAlias);
  function->addDereferenceableParamAttr(0, sizeof(machine::jit::ThreadContext));
  function->addParamAttr(0,
                         llvm::Attribute::getWithAlignment(context, llvm::Align(alignof(machine::jit::ThreadContext))));
  return *function;
}

/// Problems of LLVM's code, or nothing.
[[maybe_unused]] std::string problems_of(const llvm::Module& module) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  return llvm::verifyModule(module, &stream) ? "the code made is not well formed: " + stream.str() : std::string();
}

void list(llvm::Module& module, llvm::TargetMachine& target, CompileOutput& out) {
  out.listing += text_of(module);
  llvm::SmallVector<char, 0> text;
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  if (emit(*copy, target, llvm::CodeGenFileType::AssemblyFile, text)) out.assembly.assign(text.begin(), text.end());
}

/// Stack that the code may take, of the megabytes that a thread has.
constexpr unsigned kMaxStack = 1536 * 1024;

/// Hears of functions that take more of the stack.
struct StackWatch final : llvm::DiagnosticHandler {
  explicit StackWatch(bool& hit) : exceeded(hit) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    exceeded = exceeded || info.getKind() == llvm::DK_StackSize;
    return true;
  }
  bool& exceeded;
};

/// A kernel on its way to machine code.
class Compilation {
 public:
  Compilation(const CompileOptions& options, CompileOutput& out) : options_(options), out_(out) {
    context_.setDiscardValueNames(!options.keep_listing);
    context_.setDiagnosticHandler(std::make_unique<StackWatch>(out.too_much_stack));
  }

  /// False, with the reason in the output, where there is no code.
  bool run(Translate translate, const machine::Code& code, const ControlFlowGraph& shape,
           const KernelVariant& special) {
    const bool first = options_.tier == Tier::First;
    target_ =
        make_target(options_.cpu, first ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default, out_.error);
    if (target_ == nullptr) return false;
    llvm::Module module("heddle", context_);
    module.setTargetTriple(target_->getTargetTriple().str());
    module.setDataLayout(target_->createDataLayout());
    llvm::Function& function = declare_kernel(module, *target_);
    function.addFnAttr("warn-stack-size", std::to_string(kMaxStack));
    LlvmBuilder builder(module, function, first);
    machine::jit::Value arguments[5];
    for (unsigned i = 0; i < 5; ++i) arguments[i] = builder.argument(i);
    out_.counts = translate(builder, arguments, code, shape, special);
    const std::vector<Images::Function> functions = special.images->functions();
    if (options_.translated) options_.translated();
    return finish(module, functions, special.in_memory);
  }

 private:
  bool finish(llvm::Module& module, const std::vector<Images::Function>& functions, bool in_memory) {
    if (options_.keep_listing) out_.listing = text_of(module);
#ifndef NDEBUG
    out_.error = problems_of(module);
    if (!out_.error.empty()) return false;
#endif
    const Optimization how{*target_, functions, lanes_of(*target_), options_.functions, options_.cancel, in_memory};
    out_.error = options_.tier == Tier::First ? optimize_first(module, how) : optimize_second(module, how);
    if (out_.error.empty() && how.canceled()) out_.error = "it is not wanted any more";
    if (!out_.error.empty()) return false;
    if (options_.tier == Tier::Second && std::ranges::any_of(module, is_long)) {
      target_->setOptLevel(llvm::CodeGenOptLevel::None);
      target_->setFastISel(false);
    }
    if (options_.keep_listing) list(module, *target_, out_);
    llvm::SmallVector<char, 0> object;
    if (!emit(module, *target_, llvm::CodeGenFileType::ObjectFile, object))
      out_.error = "no machine code can be made for this processor";
    else if (out_.too_much_stack)
      out_.error = "its code takes too much of the stack";
    if (!out_.error.empty()) return false;
    out_.object.assign(object.begin(), object.end());
    return true;
  }

  const CompileOptions& options_;
  CompileOutput& out_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::TargetMachine> target_;
};

CompileOutput compile_with(Translate translate, const machine::Code& code, const ControlFlowGraph& shape,
                           const KernelVariant& special, const CompileOptions& options) {
  CompileOutput out;
  if (Compilation(options, out).run(translate, code, shape, special) || !out.too_much_stack ||
      options.tier == Tier::Second || special.in_memory)
    return out;
  out = {};
  KernelVariant variant = special;
  variant.in_memory = true;
  (void)Compilation(options, out).run(translate, code, shape, variant);
  return out;
}

}  // namespace
}  // namespace heddle::engine::jit

const heddle::engine::jit::CompilerModule* heddle_jit_module() {
  namespace jit = heddle::engine::jit;
  static const jit::CompilerModule module{jit::build_identity(), jit::problem_of, jit::compile_with};
  return &module;
}
