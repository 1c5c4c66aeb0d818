// SPDX-License-Identifier: MIT
// Damaged SPIR-V binaries compiled and run: the first byte chooses the width and what is lenient.
#include <cstddef>
#include <cstdint>

#include "support/any_shader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 32768) return 0;
  heddle::spirv::CompileOptions options;
  options.simd = 8u << (data[0] % 3);
  options.portable = (data[0] & 4u) != 0;
  options.lenient = (data[0] & 8u) != 0;
  if ((data[0] & 16u) != 0) options.platform = heddle::isa::Platform::TGLLP;
  (void)heddle::test::run_any({data + 1, size - 1}, options);
  return 0;
}
