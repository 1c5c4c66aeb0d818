// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/target.hpp"

#include <mutex>

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/X86TargetParser.h>

namespace heddle::engine::jit {
namespace {

struct Processor {
  std::string name, features;  ///< LLVM's
};

#if defined(__aarch64__)

void initialize_llvm() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
}

/// The same code on all of them.
Processor processor_at_hand() { return {"generic", {}}; }
const char* lack_of(const llvm::TargetMachine&) { return nullptr; }

#else

void initialize_llvm() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

Processor processor_at_hand() {
  llvm::SubtargetFeatures features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    // SSE4a: LLVM takes its bit fields for bytes that become vectors. In profiles of kernels that have them, on a
    // virtual machine, they stood out; other instructions do as well.
    features.AddFeature(feature.first(), feature.second && feature.first() != "sse4a");
  return {llvm::sys::getHostCPUName().str(), features.getString()};
}
const char* lack_of(const llvm::TargetMachine& target) {
  return target.getMCSubtargetInfo()->checkFeatures("+f16c,+fma,+avx2") ? nullptr : "the processor has no AVX2";
}

#endif

}  // namespace

#if defined(__aarch64__)
std::string problem_of(const std::string& cpu) {
  return cpu == "generic" ? std::string() : "on arm64 code is made for every processor alike, 'generic'";
}
#else
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
#endif

std::unique_ptr<llvm::TargetMachine> machine_for(const std::string& triple, const std::string& cpu,
                                                 const std::string& features, llvm::CodeGenOptLevel level,
                                                 std::string& error) {
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  std::unique_ptr<llvm::TargetMachine> made(target->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small, level, true));
  if (made == nullptr) error = "LLVM makes no code for it";
  // Not the selection of instructions that arm64 would have without optimization: vectors of many lanes are too much
  // for it.
  if (made != nullptr) made->setGlobalISel(false);
  return made;
}

std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu, llvm::CodeGenOptLevel level,
                                                 std::string& error) {
  static std::once_flag once;
  std::call_once(once, initialize_llvm);
  if (!cpu.empty()) error = problem_of(cpu);
  if (!error.empty()) return nullptr;
  const Processor processor = cpu.empty() ? processor_at_hand() : Processor{cpu, {}};
  auto made = machine_for(llvm::sys::getProcessTriple(), processor.name, processor.features, level, error);
  if (made == nullptr) return nullptr;
  if (const char* lack = lack_of(*made)) {
    error = lack;
    return nullptr;
  }
  return made;
}

LanesTarget lanes_of(const llvm::TargetMachine& target) {
  if (!target.getTargetTriple().isX86()) return {};
  const auto has = [&](const char* features) { return target.getMCSubtargetInfo()->checkFeatures(features); };
  return {has("+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd"), has("+avx512vbmi")};
}

}  // namespace heddle::engine::jit
