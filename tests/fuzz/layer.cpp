// SPDX-License-Identifier: MIT
// SPIR-V modules through the footprint layer's rewriter, words changed and grammar kept: what it makes is a list of
// instructions without the one that it replaces.
#include <cstdlib>
#include <cstring>

#include "layer/rewriter/rewrite.hpp"
#include "support/spirv_mutator.hpp"

namespace {

heddle::layer::Words words_of(const std::uint8_t* data, std::size_t size) {
  heddle::layer::Words words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  return words;
}

heddle::layer::RewriteOptions options(bool lenient) {
  heddle::layer::RewriteOptions o;
  o.lenient = lenient;
  o.samplers = {{0, 0, 4, {}, 0}, {0, 1, 1, {o.unknown}, {}}, {0, 2, 2, {}, 4}};
  o.buffers = {{0, 9, 6}};
  return o;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const heddle::layer::Words words = words_of(data, size);
  for (const bool lenient : {false, true}) {
    const heddle::layer::Rewritten r = heddle::layer::rewrite_footprints(words, options(lenient));
    const bool done = r.status == heddle::layer::Rewritten::Status::Done;
    if (done && (!heddle::layer::Module::read(r.words) || heddle::layer::has_footprints(r.words))) std::abort();
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (size < 24 || seed % 3 == 0) return LLVMFuzzerMutate(data, size, most);
  heddle::test::SpirvMutator mutator(seed);
  const heddle::layer::Words words = mutator.mutate(words_of(data, size), 1 + seed % 6);
  if (words.size() * 4 > most) return size;
  std::memcpy(data, words.data(), words.size() * 4);
  return words.size() * 4;
}
