// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/object.hpp"

#include <algorithm>

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

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

}  // namespace

void watch_stack(llvm::LLVMContext& context, CompileOutput& out) {
  context.setDiagnosticHandler(std::make_unique<StackWatch>(out.too_much_stack));
}

void make_object(llvm::Module& module, llvm::TargetMachine& target, const ObjectRequest& request,
                 const CompileOptions& options, CompileOutput& out) {
  module.getFunction("heddle_kernel")->addFnAttr("warn-stack-size", std::to_string(kMaxStack));
  if (options.keep_listing) out.listing = text_of(module);
#ifndef NDEBUG
  out.error = problems_of(module);
  if (!out.error.empty()) return;
#endif
  const Optimization how{target,         request.functions, lanes_of(target), options.functions,
                         options.cancel, request.in_memory};
  out.error = options.tier == Tier::First ? optimize_first(module, how) : optimize_second(module, how);
  if (out.error.empty() && how.canceled()) out.error = "it is not wanted any more";
  if (!out.error.empty()) return;
  if (options.tier == Tier::Second && std::ranges::any_of(module, is_long)) {
    target.setOptLevel(llvm::CodeGenOptLevel::None);
    target.setFastISel(false);
  }
  if (options.keep_listing) list(module, target, out);
  llvm::SmallVector<char, 0> object;
  if (!emit(module, target, llvm::CodeGenFileType::ObjectFile, object))
    out.error = "no machine code can be made for this processor";
  else if (out.too_much_stack)
    out.error = "its code takes too much of the stack";
  if (out.error.empty()) out.object.assign(object.begin(), object.end());
}

}  // namespace heddle::engine::jit
