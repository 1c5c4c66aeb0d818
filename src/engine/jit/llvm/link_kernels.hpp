// SPDX-License-Identifier: MIT
#pragma once
// The texture unit's functions, made for the states of a kernel, and their way into its module.

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "engine/jit/codegen/compile.hpp"
#include "engine/jit/llvm/target.hpp"

namespace heddle::engine::jit {

/// A function with this attribute makes one channel of a gather: one texel for each lane.
inline constexpr const char* kOneTexel = "heddle-one-texel";

/// An image function that the kernel calls, with its static state complete.
struct ImageFunction {
  const Images::Function* of = nullptr;
  std::vector<std::uint8_t> state;
  bool one_texel = false;
};
[[nodiscard]] ImageFunction image_function(const Images::Function& f, const llvm::Function& declared,
                                           const LanesTarget& target);

/// Everything that decides what make_image_module() makes and what passes do with it.
[[nodiscard]] std::string description_of(const ImageFunction& f, const llvm::TargetMachine& target);

/// A module with the function alone, named kImageFunction: the texture unit's bitcode, specialized. `attributes`: a
/// function whose attributes it gets. Null, with what went wrong.
inline constexpr const char* kImageFunction = "heddle_image";
[[nodiscard]] std::unique_ptr<llvm::Module> make_image_module(const ImageFunction& f, const LanesTarget& target,
                                                              const llvm::Function& attributes, std::string& error);

/// As bytes, and from them into a module that declares the function by the name that the kernel calls. False: they are
/// no such module.
[[nodiscard]] KeptFunctions::Code code_of(const llvm::Module& image);
[[nodiscard]] bool link_image_code(llvm::Module& module, const std::string& name, const KeptFunctions::Code& code);

/// The name of the function for the state that an open one is likely given.
[[nodiscard]] std::string likely_name(const Images::Function& f);

/// Defines functions of a kernel that knows no state: each calls the kernel that stands in its MessageCall, one of
/// those that were compiled into the program (runtime/native_functions.hpp); or, of the state that is likely, a
/// function that is left to be linked. `by_handle`: all of them are of messages by handle (HandleCall), which count
/// the calls of other states.
void call_open_kernels(llvm::Module& module, const std::vector<Images::Function>& functions, const LanesTarget& target,
                       const llvm::Function& attributes, bool by_handle);

}  // namespace heddle::engine::jit
