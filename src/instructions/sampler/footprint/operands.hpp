// SPDX-License-Identifier: MIT
#pragma once
// Operands of heddle_footprint: which parameters an instruction takes, in which order, and what it returns. The check,
// the reference engine and the SPIR-V compiler read this one list.

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::instructions::footprint {

enum class Source : std::uint8_t { Implicit, Lod, Grad };             ///< codes of `source`
enum class Mode : std::uint8_t { Strict, Lenient, Extended };         ///< codes of `mode` (FP-21)
enum class ParameterType : std::uint8_t { Unsigned, Signed, Float };  ///< UD or D, D, F

// clang-format off
enum class Parameter : std::uint8_t {
  Granularity, Coarse, Lod, Bias, Mlod, U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, OffU, OffV, OffR,
};
// clang-format on
inline constexpr unsigned kParameterCount = 17;

[[nodiscard]] std::string_view name_of(Parameter parameter);
[[nodiscard]] ParameterType type_of(Parameter parameter);

struct Shape {
  unsigned dim = 2;
  Source source = Source::Implicit;
  bool bias = false, min_lod = false, offset = false;
  Mode mode = Mode::Strict;
};

/// Of an instruction whose integer fields can be asked by name: a Check, or the operands of an engine.
template <typename Fields>
[[nodiscard]] Shape shape_of(const Fields& fields) {
  Shape shape;
  shape.dim = fields.integer("dim") != 0 ? 3 : 2;
  shape.source = static_cast<Source>(fields.integer("source"));
  shape.bias = fields.integer("bias") != 0;
  shape.min_lod = fields.integer("minlod") != 0;
  shape.offset = fields.integer("offset") != 0;
  shape.mode = static_cast<Mode>(fields.integer("mode"));
  return shape;
}

struct ParameterList {
  std::array<Parameter, kParameterCount> at{};
  unsigned count = 0;
};
/// granularity coarse [lod] [bias] [mlod] u [dudx dudy] v [dvdx dvdy] [r [drdx drdy]] [offu offv [offr]]
[[nodiscard]] ParameterList parameters_of(const Shape& shape);

/// Members of the result, one dword for each channel, each from a register of its own on: single, anchor, offset, mask
/// low, mask high, lod, granularity.
[[nodiscard]] constexpr unsigned members_of(unsigned dim) { return 5 + 2 * dim; }

}  // namespace heddle::instructions::footprint
