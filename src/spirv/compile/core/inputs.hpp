// SPDX-License-Identifier: MIT
#pragma once
// What a thread finds in its registers when it starts.

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

class ThreadInputs {
 public:
  explicit ThreadInputs(VisaWriter& writer) : b_(writer) {}

  /// Where the next input lies: the byte of the register file behind the last one.
  [[nodiscard]] std::uint32_t end() const { return next_; }
  void begin_at(std::uint32_t byte) { next_ = byte; }
  /// Declares a `.input` at the next register boundary: one element for each lane, or that many.
  Part add(isa::Type type, std::string_view hint, unsigned elements = 0);
  /// Where something of the thread is kept: declares it as an input unless it is there. `value`: its name in the
  /// interface.
  const Part& keep(std::optional<Part>& kept, isa::Type type, std::string_view hint, std::string_view value);

 private:
  VisaWriter& b_;
  std::uint32_t next_ = 0;
};

/// Of fragments, once something needs them.
struct FragmentInputs {
  Part subspans;            ///< R1 as 8 ud (SIMD32: R1 and R2)
  bool per_sample = false;  ///< one lane for each sample, where there are several
  std::vector<Part> pixel;  ///< x and y of the pixel as d
  std::optional<Part> layer;
  std::array<std::optional<Part>, 4> sample_table;  ///< where the samples lie
  std::optional<Part> w;                            ///< 1/w
  std::array<std::optional<Part>, 2> own_position;  ///< where the invocation's own sample lies in the pixel
  /// An input at another place than its own: in the middle of the pixel, or where it is covered.
  struct Elsewhere {
    std::uint32_t variable = 0;
    std::size_t scalar = 0;
    bool centroid = false;
    friend auto operator<=>(const Elsewhere&, const Elsewhere&) = default;
  };
  std::map<Elsewhere, std::optional<Part>> elsewhere;
};

}  // namespace heddle::spirv::compiler
