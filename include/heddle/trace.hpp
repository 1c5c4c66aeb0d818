// SPDX-License-Identifier: MIT
#pragma once
// Watching a run: the instructions executed, how often each line ran, the texels read and written. A watched run uses
// the reference engine.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/image.hpp"
#include "heddle/result.hpp"

namespace heddle {

struct TraceOptions {
  /// Gets one line of text, with its newline, for each instruction executed: where, lanes, the instruction, the bytes
  /// it left, the memory it touched. The run then uses one thread of this computer. Empty: no lines.
  std::function<void(const std::string&)> write;
  // What is written; absent: everything.
  std::optional<std::array<std::uint32_t, 3>> group;
  std::optional<std::uint32_t> thread;                           ///< in its group
  std::optional<std::uint32_t> lane;                             ///< 0 to 31
  std::optional<std::pair<std::uint32_t, std::uint32_t>> lines;  ///< first and last source line

  bool coverage = false;  ///< count the executions of each instruction
  bool texels = false;    ///< remember the texels of images that were touched
};

/// Give it to RunOptions::trace; it must live as long as the run. Another run begins anew.
class Trace {
 public:
  explicit Trace(TraceOptions options = {});

  /// The program's text with executions and lanes before each line. Empty without `coverage`.
  [[nodiscard]] std::string listing() const;
  /// Executions by instruction name, most frequent first. Empty without `coverage`.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> counts() const;
  /// A picture of one level and slice of the image bound as `name`: red for texels read, green for those written, blue
  /// for those that answers of footprint queries name, brighter for more. Id: usage-argument (no texel was touched, or
  /// `texels` was not asked for).
  Result<Image> texels(const std::string& name, std::uint32_t level = 0, std::uint32_t slice = 0) const;

  struct Impl;  ///< of the library
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle
