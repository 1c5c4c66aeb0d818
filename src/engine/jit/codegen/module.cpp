// SPDX-License-Identifier: MIT
// The compiler as the program sees it: the module with LLVM, opened when something is compiled.
#ifdef HEDDLE_HAS_LLVM

#include "engine/jit/codegen/module.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace heddle::engine::jit {
namespace {

Counts translate_arguments(machine::jit::Builder& builder, const machine::jit::Value* arguments,
                           const machine::Code& code, const ControlFlowGraph& shape, const KernelVariant& special) {
  const machine::StateIndex states(*code.objects.front().object);
  machine::jit::FunctionState function;
  function.code = &code;
  function.object = &code.objects.front();
  function.states = &states;
  function.simd = special.simd;
  function.context = arguments[0];
  function.registers = arguments[1];
  function.addresses = arguments[2];
  function.state_registers = arguments[3];
  function.predicate_file = arguments[4];
  return translate(builder, function, shape, special);
}

struct Opened {
  const CompilerModule* module = nullptr;
  std::string problem;
};

#ifdef HEDDLE_JIT_STATIC

const std::string& module_name() {
  static const std::string name = "built in";
  return name;
}
const Opened& opened() {
  static const Opened one{heddle_jit_module(), {}};
  return one;
}

#else

struct ModuleFile {
  std::string path, identity;  ///< identity: changes with the file
  std::string searched;        ///< folders
};

/// The module lies in a folder of the run-time search path (RUNPATH) that the program, or the library that carries this
/// code, is linked with. The file is only looked for: opening it brings LLVM in.
ModuleFile find_module() {
  ModuleFile place;
  Dl_info info;
  void* map = nullptr;
  if (::dladdr1(reinterpret_cast<const void*>(&translate_arguments), &info, &map, RTLD_DL_LINKMAP) == 0) return place;
  Dl_serinfo size;
  if (map == nullptr || ::dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0) return place;
  std::vector<std::uint64_t> memory((size.dls_size + 7) / 8);
  auto* list = reinterpret_cast<Dl_serinfo*>(memory.data());
  if (::dlinfo(map, RTLD_DI_SERINFOSIZE, list) != 0 || ::dlinfo(map, RTLD_DI_SERINFO, list) != 0) return place;
  for (unsigned i = 0; i < list->dls_cnt; ++i) {
    const std::string folder = list->dls_serpath[i].dls_name;
    if (folder.empty() || folder[0] != '/') continue;  // never what lies where the program is run
    const std::string path = folder + "/" HEDDLE_JIT_MODULE;
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      place.path = path;
      place.identity = fmt::format("{}.{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
      return place;
    }
    place.searched += place.searched.empty() ? folder : ", " + folder;
  }
  return place;
}

const ModuleFile& place() {
  static const ModuleFile one = find_module();
  return one;
}

Opened open_module() {
  const ModuleFile& at = place();
  if (at.path.empty())
    return {nullptr, fmt::format("the compiler module {} cannot be opened: it is not in {}", HEDDLE_JIT_MODULE,
                                 at.searched.empty() ? "the folders of the program" : at.searched)};
  void* handle = ::dlopen(at.path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return {nullptr, fmt::format("the compiler module {} cannot be opened: {}", at.path, why != nullptr ? why : "?")};
  }
  // It is never closed: LLVM keeps state of its own.
  const auto entry = reinterpret_cast<decltype(&heddle_jit_module)>(::dlsym(handle, "heddle_jit_module"));
  const CompilerModule* module = entry != nullptr ? entry() : nullptr;
  if (module == nullptr || std::strcmp(module->build, build_identity()) != 0)
    return {nullptr, fmt::format("the compiler module {} belongs to another build of this program", at.path)};
  return {module, {}};
}

const Opened& opened() {
  static const Opened one = open_module();
  return one;
}

const std::string& module_name() { return place().identity; }

#endif

}  // namespace

std::string compiler_problem() {
#ifndef HEDDLE_JIT_STATIC
  if (!place().path.empty()) return {};
#endif
  return opened().problem;
}

void open_compiler() { (void)opened(); }

std::string compiler_name() { return fmt::format("{} {}", build_identity(), module_name()); }

std::string processor_problem(const std::string& cpu) {
  const Opened& compiler = opened();
  return compiler.module != nullptr ? compiler.module->processor_problem(cpu) : compiler.problem;
}

CompileOutput compile(const machine::Code& code, const ControlFlowGraph& shape, const KernelVariant& special,
                      const CompileOptions& options) {
  const Opened& compiler = opened();
  if (compiler.module != nullptr) return compiler.module->compile(translate_arguments, code, shape, special, options);
  CompileOutput out;
  out.error = compiler.problem;
  return out;
}

}  // namespace heddle::engine::jit

#endif
