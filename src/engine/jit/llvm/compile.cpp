// SPDX-License-Identifier: MIT
#include "engine/jit/codegen/module.hpp"
#include "engine/jit/llvm/builder.hpp"
#include "engine/jit/llvm/object.hpp"
#include "engine/jit/llvm/target.hpp"

namespace heddle::engine::jit {
namespace {

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
    function->addFnAttr(kWideVectors, "512");
  }
  for (unsigned i = 0; i < 5; ++i) function->addParamAttr(i, llvm::Attribute::NoAlias);
  function->addDereferenceableParamAttr(0, sizeof(machine::jit::ThreadContext));
  function->addParamAttr(0,
                         llvm::Attribute::getWithAlignment(context, llvm::Align(alignof(machine::jit::ThreadContext))));
  return *function;
}

/// A kernel on its way to machine code.
class Compilation {
 public:
  Compilation(const CompileOptions& options, CompileOutput& out) : options_(options), out_(out) {
    context_.setDiscardValueNames(!options.keep_listing);
    watch_stack(context_, out);
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
    LlvmBuilder builder(module, function, first);
    machine::jit::Value arguments[5];
    for (unsigned i = 0; i < 5; ++i) arguments[i] = builder.argument(i);
    out_.counts = translate(builder, arguments, code, shape, special);
    const std::vector<Images::Function> functions = special.images->functions();
    if (options_.translated) options_.translated();
    make_object(module, *target_, {functions, special.in_memory}, options_, out_);
    return out_.error.empty();
  }

 private:
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
