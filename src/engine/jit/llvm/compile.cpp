#include <mutex>

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/X86TargetParser.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "engine/jit/codegen/module.hpp"
#include "engine/jit/llvm/builder.hpp"
#include "engine/jit/llvm/link_kernels.hpp"
#include "engine/jit/llvm/nan_pass.hpp"
#include "engine/jit/llvm/uniform_pass.hpp"

namespace heddle::engine::jit {
namespace {

struct NanPass : llvm::PassInfoMixin<NanPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    return drop_unseen_canonical_nans(function) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

struct UniformPass : llvm::PassInfoMixin<UniformPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    if (!make_uniform_vectors_scalar(function)) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

std::string problem_of(const std::string& cpu) {
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return "there is no 64-bit x86 processor of this name";
  llvm::SmallVector<llvm::StringRef, 64> wanted;
  llvm::X86::getFeaturesForCPU(cpu, wanted);
  const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  for (const llvm::StringRef feature : wanted)
    if (const auto known = host.find(feature); known != host.end() && !known->second)
      return "the processor here has no " + feature.str();
  return {};
}

std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu, std::string& error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  const std::string triple = llvm::sys::getProcessTriple();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  if (!cpu.empty()) error = problem_of(cpu);
  if (!error.empty()) return nullptr;
  llvm::SubtargetFeatures features;
  if (cpu.empty())
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) features.AddFeature(feature.first(), feature.second);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu.empty() ? llvm::sys::getHostCPUName() : llvm::StringRef(cpu), features.getString(),
      llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true));
}

/// NanPass for the last time.
struct LastNanPass : llvm::PassInfoMixin<LastNanPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const bool moved = move_canonical_nans_behind_loops(function, analyses.getResult<llvm::LoopAnalysis>(function));
    const bool dropped = drop_unseen_canonical_nans(function), unmarked = remove_any_nan_marks(function);
    return moved || dropped || unmarked ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

/// LLVM's managers, wired together.
struct Managers {
  explicit Managers(llvm::TargetMachine& target) : builder(&target) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
  }
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
};

/// The image state (argument 0) does not change while a kernel runs, whatever the kernel stores.
void mark_state_loads(llvm::Function& function) {
  llvm::MDNode* mark = llvm::MDNode::get(function.getContext(), {});
  for (llvm::Instruction& i : llvm::instructions(function))
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
        load != nullptr && llvm::getUnderlyingObject(load->getPointerOperand()) == function.getArg(0))
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, mark);
}

/// The kernel itself; NaN payloads are looked at before the texture unit's code comes in, which keeps its own.
llvm::FunctionPassManager kernel_passes() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(NanPass());  // before comparisons are rewritten
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(NanPass());
  passes.addPass(UniformPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true,
                                                       /*UseBlockFrequencyInfo=*/false));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(LastNanPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// An image operation whose state has become constant: most of it goes away at once.
llvm::FunctionPassManager image_passes() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::JumpThreadingPass());  // what one piece found out decides in the next
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// A gather of one texel for each lane that runs as two halves: written out, what several of them calculate alike from
/// the same coordinates is done once.
llvm::FunctionPassManager unroll_passes() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(3)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

llvm::FunctionPassManager last_passes() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true,
                                                       /*UseBlockFrequencyInfo=*/false));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// Image operations become part of the kernel where they are used once, or where all their copies are no longer than
/// this many instructions.
constexpr unsigned kInlineInstructions = 1600;

void optimise(llvm::Module& module, llvm::TargetMachine& target, const Images& images, const LanesTarget& lanes,
              std::string& error) {
  Managers m(target);
  llvm::Function& kernel = *module.getFunction("heddle_kernel");
  llvm::FunctionPassManager first = kernel_passes();
  first.run(kernel, m.functions);
  if (images.functions().empty()) return;
  error = link_kernels(module, images, lanes, kernel);
  if (!error.empty()) return;
  m.functions.clear();
  m.modules.clear();
  for (const Images::Function& f : images.functions()) {
    llvm::Function* function = module.getFunction(f.name);
    if (function == nullptr || function->isDeclaration()) continue;
    llvm::FunctionPassManager passes = image_passes();
    passes.run(*function, m.functions);
    if (function->hasFnAttribute(kOneTexel)) {
      llvm::FunctionPassManager more = unroll_passes();
      more.run(*function, m.functions);
    }
    mark_state_loads(*function);
    if (function->hasOneUse() || function->getInstructionCount() * function->getNumUses() <= kInlineInstructions)
      function->addFnAttr(llvm::Attribute::AlwaysInline);
  }
  m.functions.clear();
  m.modules.clear();
  llvm::ModulePassManager inliner;
  inliner.addPass(llvm::AlwaysInlinerPass(false));
  inliner.addPass(llvm::GlobalDCEPass());
  inliner.run(module, m.modules);
  llvm::FunctionPassManager last = last_passes();
  last.run(kernel, m.functions);
}

/// A function that waits becomes one that starts and one that goes on.
void mark_waits(llvm::Module& module, llvm::TargetMachine& target) {
  Managers m(target);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::CoroEarlyPass());
  passes.run(module, m.modules);
}
void split_at_waits(llvm::Module& module, llvm::TargetMachine& target) {
  Managers m(target);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass()));
  passes.addPass(llvm::CoroCleanupPass());
  llvm::FunctionPassManager each;
  // How a wait ended is a constant on each way that comes from it.
  each.addPass(llvm::SimplifyCFGPass());
  each.addPass(llvm::JumpThreadingPass());
  each.addPass(llvm::SimplifyCFGPass());
  each.addPass(llvm::EarlyCSEPass(true));
  each.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
  passes.run(module, m.modules);
}

/// Of a function with more blocks than this, LLVM's register allocator takes longer than all else together, and its
/// time grows with their square and more: 12 seconds for 3000 of them.
constexpr std::size_t kManyBlocks = 2000;

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

bool emit(llvm::Module& module, llvm::TargetMachine& target, llvm::CodeGenFileType kind,
          llvm::SmallVectorImpl<char>& bytes) {
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, kind)) return false;
  passes.run(module);
  return true;
}

CompileOutput compile_with(Translate translate, const machine::Code& code, const ControlFlowGraph& shape,
                           const Specialisation& special, const CompileOptions& options) {
  CompileOutput out;
  const std::unique_ptr<llvm::TargetMachine> target = make_target(options.cpu, out.error);
  if (target == nullptr) return out;
  if (!target->getMCSubtargetInfo()->checkFeatures("+f16c,+fma,+avx2")) {
    out.error = "the processor has no AVX2";
    return out;
  }
  llvm::LLVMContext context;
  llvm::Module module("heddle", context);
  module.setTargetTriple(target->getTargetTriple().str());
  module.setDataLayout(target->createDataLayout());
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer, pointer, pointer, pointer}, false),
      llvm::Function::ExternalLinkage, "heddle_kernel", module);
  function->setDoesNotThrow();
  function->addFnAttr("stackrealign");  // spilled vectors lie in one cache line each
  function->addFnAttr("target-cpu", target->getTargetCPU());
  function->addFnAttr("target-features", target->getTargetFeatureString());
  const auto has = [&](const char* features) { return target->getMCSubtargetInfo()->checkFeatures(features); };
  const LanesTarget lanes{has("+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd"), has("+avx512vbmi")};
  if (lanes.wide) {
    function->addFnAttr("prefer-vector-width", "512");
    function->addFnAttr("min-legal-vector-width", "512");
  }
  for (unsigned i = 0; i < 5; ++i) function->addParamAttr(i, llvm::Attribute::NoAlias);
  function->addDereferenceableParamAttr(0, sizeof(machine::jit::ThreadContext));
  function->addParamAttr(0,
                         llvm::Attribute::getWithAlignment(context, llvm::Align(alignof(machine::jit::ThreadContext))));

  LlvmBuilder builder(module, *function);
  machine::jit::Value arguments[5];
  for (unsigned i = 0; i < 5; ++i) arguments[i] = builder.argument(i);
  out.counts = translate(builder, arguments, code, shape, special);
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(module, &stream)) {
    out.error = "the code made is not well formed: " + stream.str();
    if (options.keep_listing) out.listing = text_of(module);
    return out;
  }
  if (options.keep_listing) out.listing = text_of(module);
  if (shape.has_barrier) mark_waits(module, *target);
  optimise(module, *target, *special.images, lanes, out.error);
  if (!out.error.empty()) return out;
  if (shape.has_barrier) split_at_waits(module, *target);
  if (std::ranges::any_of(module, [](const llvm::Function& f) { return f.size() > kManyBlocks; })) {
    target->setOptLevel(llvm::CodeGenOptLevel::None);
    target->setFastISel(false);
  }
  if (options.keep_listing) {
    out.listing += text_of(module);
    llvm::SmallVector<char, 0> text;
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    if (emit(*copy, *target, llvm::CodeGenFileType::AssemblyFile, text)) out.assembly.assign(text.begin(), text.end());
  }
  llvm::SmallVector<char, 0> object;
  if (!emit(module, *target, llvm::CodeGenFileType::ObjectFile, object)) {
    out.error = "no machine code can be made for this processor";
    return out;
  }
  out.object.assign(object.begin(), object.end());
  return out;
}

}  // namespace
}  // namespace heddle::engine::jit

const heddle::engine::jit::CompilerModule* heddle_jit_module() {
  namespace jit = heddle::engine::jit;
  static const jit::CompilerModule module{jit::build_identity(), jit::problem_of, jit::compile_with};
  return &module;
}
