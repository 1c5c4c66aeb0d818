// SPDX-License-Identifier: MIT
// SPIR-V modules whose grammar stays: what the compiler writes keeps all rules. The last word chooses how to compile.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "support/compile_check.hpp"
#include "support/spirv_mutator.hpp"

namespace {

/// One of each kind: with and without 64-bit types, registers of 32 and 64 bytes.
constexpr heddle::isa::Platform kPlatforms[] = {heddle::isa::Platform::SKL, heddle::isa::Platform::TGLLP,
                                                heddle::isa::Platform::DG2, heddle::isa::Platform::PVC,
                                                heddle::isa::Platform::XE2};

heddle::spirv::CompileOptions options_of(std::uint32_t choice) {
  heddle::spirv::CompileOptions options;
  options.simd = 8u << (choice % 3);
  options.portable = (choice & 4u) != 0;
  options.lenient = (choice & 8u) != 0;
  options.platform = kPlatforms[choice / 16 % std::size(kPlatforms)];
  return options;
}

std::vector<std::uint32_t> words_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint32_t> words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint32_t> words = words_of(data, size);
  if (words.size() < 6 || words.size() > 16384) return 0;
  const heddle::test::CompileCheck check =
      heddle::test::check_compilation(std::span(words).first(words.size() - 1), options_of(words.back()));
  if (check.fault.empty()) return 0;
  std::fputs(check.fault.c_str(), stderr);
  std::abort();
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::vector<std::uint32_t> words = words_of(data, size);
  if (words.size() < 7) return size;
  const std::uint32_t choice = seed % 4 == 0 ? seed >> 8 : words.back();
  heddle::test::SpirvMutator mutator(seed);
  words = mutator.mutate(std::span(words).first(words.size() - 1), 1 + seed % 6);
  words.push_back(choice);
  if (words.size() * 4 > most) return size;
  std::memcpy(data, words.data(), words.size() * 4);
  return words.size() * 4;
}
