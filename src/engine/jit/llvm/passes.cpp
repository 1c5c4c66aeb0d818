// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/passes.hpp"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
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

#include "engine/jit/llvm/link_kernels.hpp"
#include "engine/jit/llvm/passes/half_pass.hpp"
#include "engine/jit/llvm/passes/nan_pass.hpp"
#include "engine/jit/llvm/passes/row_pass.hpp"
#include "engine/jit/llvm/passes/uniform_pass.hpp"
#include "engine/jit/llvm/shared_steps.hpp"
#include "engine/jit/llvm/variables.hpp"
#include "engine/jit/llvm/waits.hpp"

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

struct RowPass : llvm::PassInfoMixin<RowPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    if (!ask_where_offsets_come_from(function)) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

/// NanPass for the last time.
struct LastNanPass : llvm::PassInfoMixin<LastNanPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const bool moved = move_canonical_nans_behind_loops(function, analyses.getResult<llvm::LoopAnalysis>(function));
    const bool dropped = drop_unseen_canonical_nans(function), unmarked = remove_any_nan_marks(function);
    return moved || dropped || unmarked ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

/// Nothing but the marks of Builder::any_nan goes.
struct UnmarkPass : llvm::PassInfoMixin<UnmarkPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    return remove_any_nan_marks(function) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

/// LLVM's managers, wired together.
struct Managers {
  explicit Managers(const Optimization& how) : builder(&how.target, {}, std::nullopt, &callbacks) {
    // What is not wanted any more ends soon.
    callbacks.registerShouldRunOptionalPassCallback(
        [&how](llvm::StringRef, const llvm::Any&) { return !how.canceled(); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
  }
  llvm::PassInstrumentationCallbacks callbacks;
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
  passes.addPass(RowPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(NanPass());  // before comparisons are rewritten
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(NanPass());
  passes.addPass(UniformPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::JumpThreadingPass(10));  // messages with the same condition share one branch
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
constexpr unsigned kInlineInstructions = 2400;

/// The first tier: what is calculated twice in a row goes.
llvm::FunctionPassManager quick_passes() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(false));
  passes.addPass(NanPass());
  passes.addPass(UnmarkPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

}  // namespace

void divide_blocks(llvm::Function& function) {
  constexpr unsigned kMax = 400;
  std::vector<llvm::Instruction*> places;
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& block : function) blocks.push_back(&block);
  for (llvm::BasicBlock* block : blocks) {
    places.clear();
    unsigned length = 0;
    for (llvm::Instruction& i : *block)
      if (++length > kMax && !llvm::isa<llvm::PHINode, llvm::AllocaInst>(i) && !i.isTerminator())
        places.push_back(&i), length = 0;
    // From the end: the rest of a block moves once.
    for (auto place = places.rbegin(); place != places.rend(); ++place) block->splitBasicBlock(*place);
  }
}

/// In the second tier variables with few uses, such as the lanes that wait at one label, stay in memory where the
/// kernel has more blocks.
constexpr unsigned kManyBranches = 1200, kFewUses = 12;

/// In kernels of more instructions those that do the same are functions, and variables stay in memory.
constexpr unsigned kFewInstructions = 4'000;

std::string optimize_first(llvm::Module& module, const Optimization& how) {
  Managers m(how);
  llvm::Function& kernel = *module.getFunction("heddle_kernel");
  if (how.in_memory || kernel.getInstructionCount() > kFewInstructions) {
    drop_needless_clearing(kernel);
    remove_any_nan_marks(kernel);
    share_steps(kernel);
  } else {
    drop_needless_clearing(kernel);
    hold_shared_variables(kernel, ~0u - 1);
    llvm::FunctionPassManager values;
    values.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    values.run(kernel, m.functions);
    release_variables(kernel);
    divide_blocks(kernel);
    m.functions.clear();
    llvm::FunctionPassManager passes = quick_passes();
    passes.run(kernel, m.functions);
  }
  (void)lower_waits(kernel);
  call_open_kernels(module, how.functions, how.lanes, kernel, false);
  return {};
}

namespace {

/// Links the function of an image operation for its static state. The function is taken from those that were made
/// before, or made now and kept for later kernels.
std::string link_image_function(llvm::Module& module, const ImageFunction& f, const llvm::Function& kernel,
                                const Optimization& how) {
  const std::string& name = f.of->name;
  const std::string what = how.kept != nullptr ? description_of(f, how.target) : std::string();
  const std::shared_ptr<const KeptFunctions::Code> code = how.kept != nullptr ? how.kept->find(what) : nullptr;
  if (code != nullptr && link_image_code(module, name, *code)) return {};
  std::string error;
  const std::unique_ptr<llvm::Module> made = make_image_module(f, how.lanes, kernel, error);
  if (made == nullptr) return error;
  llvm::Function& function = *made->getFunction(kImageFunction);
  {
    Managers m(how);
    llvm::FunctionPassManager passes = image_passes();
    if (f.one_texel) passes.addPass(unroll_passes());
    passes.run(function, m.functions);
  }
  mark_state_loads(function);
  // What is linked is what the next one finds.
  KeptFunctions::Code now = code_of(*made);
  if (!link_image_code(module, name, now)) return "an image function cannot be linked";
  if (how.kept != nullptr && !how.canceled()) how.kept->keep(what, std::move(now));
  return {};
}

/// Of open functions those for the states that they are likely given, as functions of their own.
std::vector<Images::Function> likely_functions(const Optimization& how) {
  std::vector<Images::Function> likely;
  for (const Images::Function& f : how.functions)
    if (f.open && f.likely != nullptr) likely.push_back({likely_name(f), f.likely_kernel(), f.likely});
  return likely;
}

/// The kernel's own passes, then those of the image operations, then of both together.
std::string optimize_whole(llvm::Module& module, llvm::Function& kernel, const Optimization& how) {
  Managers m(how);
  llvm::FunctionPassManager first = kernel_passes();
  first.run(kernel, m.functions);
  llvm::Function& body = lower_waits(kernel);
  if (how.functions.empty()) {
    if (&body != &kernel) last_passes().run(body, m.functions);
    return {};
  }
  m.functions.clear();
  m.modules.clear();
  const std::vector<Images::Function> likely = likely_functions(how);
  std::vector<ImageFunction> linked;
  std::size_t next = 0;
  for (const Images::Function& f : how.functions) {
    const bool guessed = f.open && f.likely != nullptr;
    const Images::Function& of = guessed ? likely[next++] : f;
    const llvm::Function* const declared = module.getFunction(f.name);
    if (declared != nullptr && (guessed || !f.open)) linked.push_back(image_function(of, *declared, how.lanes));
  }
  call_open_kernels(module, how.functions, how.lanes, kernel, true);
  for (const ImageFunction& f : linked)
    if (std::string error = link_image_function(module, f, kernel, how); !error.empty()) return error;
  for (const Images::Function& f : how.functions) {
    llvm::Function* function = module.getFunction(f.name);
    if (function == nullptr || function->isDeclaration()) continue;
    if (function->hasOneUse() || function->getInstructionCount() * function->getNumUses() <= kInlineInstructions)
      function->addFnAttr(llvm::Attribute::AlwaysInline);
  }
  llvm::ModulePassManager inliner;
  inliner.addPass(llvm::AlwaysInlinerPass(false));
  inliner.addPass(llvm::GlobalDCEPass());
  inliner.run(module, m.modules);
  llvm::FunctionPassManager last = last_passes();
  last.run(body, m.functions);
  return {};
}

}  // namespace

std::string optimize_second(llvm::Module& module, const Optimization& how) {
  llvm::Function& kernel = *module.getFunction("heddle_kernel");
  drop_needless_clearing(kernel);
  if (kernel.size() > kManyBranches) hold_shared_variables(kernel, kFewUses);
  divide_blocks(kernel);
  std::string error = optimize_whole(module, kernel, how);
  for (llvm::Function& function : module) (void)widen_halves(function);
  release_variables(kernel);
  return error;
}

bool emit(llvm::Module& module, llvm::TargetMachine& target, llvm::CodeGenFileType kind,
          llvm::SmallVectorImpl<char>& bytes) {
  if (target.getTargetTriple().isAArch64())
    for (llvm::Function& function : module) {
      keep_choices_by_comparison(function);
      make_single_halves_scalar(function);
    }
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, kind)) return false;
  passes.run(module);
  return true;
}

}  // namespace heddle::engine::jit
