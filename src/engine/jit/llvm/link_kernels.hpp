#pragma once
// Links the texture unit's functions, made for the states of a kernel, into its module.

#include <string>

#include <llvm/IR/Module.h>

#include "engine/jit/codegen/image_operations.hpp"

namespace heddle::engine::jit {

/// A function with this attribute makes one channel of a gather: one texel for each lane.
inline constexpr const char* kOneTexel = "heddle-one-texel";

/// What the processor has that decides about the texture unit's code.
struct LanesTarget {
  bool wide = false;      ///< AVX-512 (x86-64-v4)
  bool has_vbmi = false;  ///< texture::simd::StaticState::has_vbmi may stay set
};

/// Defines every function of `images` in the module. Empty, or what went wrong.
[[nodiscard]] std::string link_kernels(llvm::Module& module, const Images& images, const LanesTarget& target,
                                       const llvm::Function& attributes);

}  // namespace heddle::engine::jit
