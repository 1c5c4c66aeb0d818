// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/kernel_bitcode.hpp"

#if defined(HEDDLE_BITCODE)
#define HEDDLE_EMBED(name, file)                                                                    \
  __asm__(".section .rodata\n.balign 16\n.globl " #name "_begin\n" #name "_begin:\n.incbin \"" file \
          "\"\n.globl " #name "_end\n" #name "_end:\n.byte 0\n.previous\n");                        \
  extern "C" const char name##_begin[], name##_end[]
HEDDLE_EMBED(heddle_simd_bitcode, HEDDLE_BITCODE);
#if defined(HEDDLE_BITCODE_WIDE)
HEDDLE_EMBED(heddle_simd_bitcode_wide, HEDDLE_BITCODE_WIDE);
#endif

namespace heddle::engine::jit {
namespace {
std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }
}  // namespace

std::string_view kernel_bitcode([[maybe_unused]] bool wide) {
#if defined(HEDDLE_BITCODE_WIDE)
  if (wide) return between(heddle_simd_bitcode_wide_begin, heddle_simd_bitcode_wide_end);
#endif
  return between(heddle_simd_bitcode_begin, heddle_simd_bitcode_end);
}

}  // namespace heddle::engine::jit
#else
namespace heddle::engine::jit {
std::string_view kernel_bitcode(bool) { return {}; }
}  // namespace heddle::engine::jit
#endif
