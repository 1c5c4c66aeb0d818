// SPDX-License-Identifier: MIT
#pragma once
// The texture unit over arrays: an operation is prepared once for an image and a sampler and run over any number of
// elements, by the vector functions and on several threads. The bits are those of execute().

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/texture.hpp"

namespace heddle {

struct ArrayOperationOptions {
  std::string name;  ///< of operations(): "sample_l", "gather4_po_c" ...
  /// Those of the operation's parameters that are given; the others are 0 (EXE-6).
  std::vector<std::string> parameters;
  std::array<int, 3> offset{};      ///< texels, -8 to 7
  unsigned channel = 0;             ///< gathers: 0 R, 1 G, 2 B, 3 A of the texels
  bool residency = false;           ///< ArrayOutput::residency is wanted
  std::string platform;             ///< of operation_platforms(): its rules are checked; empty: none
  Diagnostics* warnings = nullptr;  ///< gets what the rules only warn of, when it is prepared
};

/// Where the 32-bit words of one parameter lie: binary32 bits, or the integers of loads and packed parameters.
struct ArrayInput {
  const void* first = nullptr;
  std::ptrdiff_t stride = 4;  ///< bytes from one element to the next; 0: one word for all
};

/// Where results go. Words that nobody wants have no place.
struct ArrayOutput {
  std::array<void*, 4> channels{};    ///< R, G, B, A of the first element: 32-bit words of number_class()
  std::ptrdiff_t stride = 16;         ///< bytes from one element to the next
  std::uint8_t* residency = nullptr;  ///< one byte for each element: 1 where all its texels are there, else 0 (RET-5)
};

/// A handle; copies share what never changes. Threads may run one at the same time. It holds the image: its texels may
/// change between runs.
class ArrayOperation {
 public:
  /// Ids: usage-argument, and the rules' ("RET-9", "GA-2").
  static Result<ArrayOperation> prepare(const Image& image, const Sampler& sampler,
                                        const ArrayOperationOptions& options);

  /// What the results are.
  [[nodiscard]] NumberClass number_class() const;
  /// Whether the vector functions do it; otherwise the reference unit does, with the same bits.
  [[nodiscard]] bool is_fast() const;
  /// Runs `count` elements on `threads` threads of this computer (0: all cores). `inputs` are in the order of
  /// ArrayOperationOptions::parameters. Four elements that follow each other are a quad: implicit derivatives are
  /// theirs. Reads and writes nothing else; an input may be the output where element and stride are the same. Ids:
  /// usage-argument, and the rules'.
  Result<Done> run(std::size_t count, std::span<const ArrayInput> inputs, const ArrayOutput& output,
                   unsigned threads = 1) const;

  struct Impl;  ///< of the library

 private:
  explicit ArrayOperation(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace heddle
