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

std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu, llvm::CodeGenOptLevel level,
                                                 std::string& error) {
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
  std::unique_ptr<llvm::TargetMachine> made(target->createTargetMachine(
      triple, cpu.empty() ? llvm::sys::getHostCPUName() : llvm::StringRef(cpu), features.getString(),
      llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small, level, true));
  if (made != nullptr && made->getMCSubtargetInfo()->checkFeatures("+f16c,+fma,+avx2")) return made;
  error = "the processor has no AVX2";
  return nullptr;
}

LanesTarget lanes_of(const llvm::TargetMachine& target) {
  const auto has = [&](const char* features) { return target.getMCSubtargetInfo()->checkFeatures(features); };
  return {has("+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd"), has("+avx512vbmi")};
}

}  // namespace heddle::engine::jit
