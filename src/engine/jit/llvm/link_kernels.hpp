#pragma once
// Links the texture unit's functions, made for the states of a kernel, into its module.

#include <string>

#include <llvm/IR/Module.h>

#include "engine/jit/codegen/image_operations.hpp"
#include "engine/jit/llvm/target.hpp"

namespace heddle::engine::jit {

/// A function with this attribute makes one channel of a gather: one texel for each lane.
inline constexpr const char* kOneTexel = "heddle-one-texel";

/// Defines every one of `functions` in the module: the texture unit's bitcode, specialised. Empty, or what went wrong.
[[nodiscard]] std::string link_kernels(llvm::Module& module, const std::vector<Images::Function>& functions,
                                       const LanesTarget& target, const llvm::Function& attributes);

/// Defines them as calls of the kernels that were compiled into the program (runtime/native_kernels.hpp).
void call_native_kernels(llvm::Module& module, const std::vector<Images::Function>& functions,
                         const LanesTarget& target, const llvm::Function& attributes);

}  // namespace heddle::engine::jit
