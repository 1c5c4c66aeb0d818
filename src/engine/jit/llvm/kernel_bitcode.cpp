// SPDX-License-Identifier: MIT
#include "engine/jit/llvm/kernel_bitcode.hpp"

#if defined(HEDDLE_BITCODE_V3)
#define HEDDLE_EMBED(name, file)                                                                    \
  __asm__(".section .rodata\n.balign 16\n.globl " #name "_begin\n" #name "_begin:\n.incbin \"" file \
          "\"\n.globl " #name "_end\n" #name "_end:\n.byte 0\n.previous\n");                        \
  extern "C" const char name##_begin[], name##_end[]
HEDDLE_EMBED(heddle_simd_bitcode_v3, HEDDLE_BITCODE_V3);
HEDDLE_EMBED(heddle_simd_bitcode_v4, HEDDLE_BITCODE_V4);

namespace heddle::engine::jit {

std::string_view kernel_bitcode(bool wide) {
  const char* begin = wide ? heddle_simd_bitcode_v4_begin : heddle_simd_bitcode_v3_begin;
  const char* end = wide ? heddle_simd_bitcode_v4_end : heddle_simd_bitcode_v3_end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace heddle::engine::jit
#else
namespace heddle::engine::jit {
std::string_view kernel_bitcode(bool) { return {}; }
}  // namespace heddle::engine::jit
#endif
