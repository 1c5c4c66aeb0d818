// SPDX-License-Identifier: MIT
#pragma once
// The writer of portable footprints: what its two files share.

#include <fmt/format.h>

#include <array>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "spirv/compile/images/portable_footprint.hpp"
#include "texture/sampler_record.hpp"

namespace heddle::spirv::compiler::portable {

using instructions::footprint::Mode;
using isa::Type;
using ShapeSource = instructions::footprint::Source;

[[nodiscard]] inline Part d(std::int32_t value) { return constant(Type::D, static_cast<std::uint32_t>(value)); }

namespace record = texture::sampler_record;

inline constexpr std::int32_t kMaxLodBias = 15 * 256;
inline constexpr std::uint32_t kInfinity = 0x7f800000;

/// The line of taps of anisotropic lanes.
struct Line {
  std::array<Part, 2> gradient;
  Part scale, count, inverse_of_count;  ///< count: N + 1
};

/// Writes one query. `run` calls its parts in order.
class FootprintWriter {
 public:
  FootprintWriter(VisaWriter& builder, const FootprintOperands& operands, std::span<const FootprintTarget> asked)
      : b(builder), q(operands), targets(asked), dim(operands.shape.dim), strict(operands.shape.mode == Mode::Strict) {}

  std::vector<Part> run() {
    read_state();
    read_operands();
    choose_levels();
    choose_granularity();
    isotropic();
    if (anisotropy) along_the_line();
    return finish();
  }

 private:
  // --- small words; a result of scalars only is a scalar ---
  [[nodiscard]] static bool uniform(const Source& s) {
    return s.part.kind != Part::Kind::Predicate && (s.part.kind != Part::Kind::Variable || s.part.stride == 0);
  }
  Part make(std::string_view op, Type type, std::initializer_list<Source> sources, std::string_view hint) {
    bool scalar = true, only_constants = true;
    for (const Source& s : sources) {
      scalar = scalar && uniform(s);
      only_constants = only_constants && s.part.kind != Part::Kind::Variable;
    }
    if (!scalar || only_constants) return b.make(op, type, sources, hint);
    const Part dst = b.array(type, hint, 1);
    b.op(op, dst, sources);
    return dst;
  }
  Part lane(const Part& p, std::string_view hint) {  ///< to be written in place
    const Part dst = b.lanes(p.type, hint);
    b.move(dst, p);
    return dst;
  }
  Part i(std::string_view op, const Source& x, const Source& y, std::string_view hint) {
    return make(op, Type::D, {x, y}, hint);
  }
  Part u(std::string_view op, const Source& x, const Source& y, std::string_view hint) {
    return make(op, Type::UD, {x, y}, hint);
  }
  Part f(std::string_view op, const Source& x, const Source& y, std::string_view hint) {
    return make(op, Type::F, {x, y}, hint);
  }
  Part fma(const Source& x, const Source& y, const Source& z, std::string_view hint) {
    return make("mad", Type::F, {x, y, z}, hint);
  }
  Part to(Type type, const Source& x, std::string_view hint) { return make("mov", type, {x}, hint); }
  Part select(const Part& p, const Part& x, const Part& y, std::string_view hint) { return b.select(p, x, y, hint); }
  void go(const Part& p, bool inverse, const std::string& label) { b.jump(label, {p, inverse, false}); }
  /// FC11: NaN counts as 0. Strict answers are zero then, whatever is computed here.
  Part number(const Part& x, std::string_view hint) {
    if (strict || x.constant()) return x;
    return select(b.compare("eq", x, x, "is_number"), x, real(0), hint);
  }
  /// FC13: nearest multiple of 1/256, ties to even.
  Part fixed(const Part& x, std::string_view hint) {
    Part v = number(x, hint);
    v = f("max", f("min", v, real(4096), hint), real(-4096), hint);
    return to(Type::D, make("rnde", Type::F, {f("mul", v, real(256), hint)}, hint), hint);
  }

  // --- quotients and roots as binary32 rounds them: approximations corrected by fused multiply-add ---
  Part inverse(const Part& x, std::string_view hint) {
    const Part y = make("inv", Type::F, {x}, hint);
    return fma(fma(negated(x), y, real(1), "error"), y, y, hint);
  }
  Part quotient(const Part& x, const Part& by, const Part& inverse_of_by, std::string_view hint) {
    const Part approximation = f("mul", x, inverse_of_by, hint);
    return fma(fma(negated(approximation), by, x, "error"), inverse_of_by, approximation, hint);
  }
  Part root(const Part& x, std::string_view hint) {
    Part half = f("mul", make("rsqrt", Type::F, {x}, "rsqrt"), real(0.5f), "half");
    Part approximation = f("mul", x, f("add", half, half, "rsqrt"), hint);
    const Part error = fma(negated(half), approximation, real(0.5f), "error");
    half = fma(half, error, half, "half");
    approximation = fma(approximation, error, approximation, hint);
    return fma(fma(negated(approximation), approximation, x, "error"), half, approximation, hint);
  }

  // --- portable_level.cpp ---
  /// Width, height, depth, levels, then the sampler's flags, bias, least and greatest LOD, ratio.
  using State = std::array<Part, 9>;
  static constexpr unsigned kLevels = 3, kFlags = 4, kBias = 5, kMinLod = 6, kMaxLod = 7, kRatio = 8;
  State state_of(const FootprintTarget& target);
  void read_state();
  void read_operands();
  Part squared_length(const std::array<Part, 3>& derivative, std::string_view hint);
  void spread();
  Part log2_of_length(const Part& squared);
  void choose_levels();
  // --- portable_footprint.cpp ---
  [[nodiscard]] std::uint32_t width() const { return dim == 3 ? 4 : 8; }  ///< W: groups of a set per axis
  void choose_granularity();
  Part first_index(const Part& coordinate, unsigned axis);
  std::pair<Part, Part> interval(const Part& index, unsigned axis);
  Part axis_mask(const Part& first, const Part& last, const Part& shift);
  std::pair<Part, Part> product(const Part& x, const Part& y, const Part& z);
  void isotropic();
  void along_the_line();
  void place_groups(unsigned axis, const Part& first, const Part& last, const Part& by);
  void each_tap(const Line& line, const std::function<void(unsigned axis, const Part& first, const Part& last)>& use);
  std::vector<Part> finish();

  VisaWriter& b;
  const FootprintOperands& q;
  std::span<const FootprintTarget> targets;
  unsigned dim;
  bool strict;

  // scalars, where there is one target
  std::array<Part, 3> size;  ///< of the view's first level
  Part levels, flags, mag_linear, min_linear, mip, bias, min_lod, max_lod, ratio;
  Part wrong;  ///< not 0: undefined whatever the operands (strict), or no footprint at all
  // lanes
  std::array<Part, 3> coordinate, dx, dy;
  Part highest;             ///< the greatest magnitude of an operand, as bits
  bool anisotropy = false;  ///< the sampler may be anisotropic: 2D with derivatives
  Part spread_x, spread_y, squared, probes;
  Part linear;  ///< 1 or 0: the filter of this lambda
  Part single, level;
  std::array<Part, 3> level_size, level_texels;  ///< as integers, as floats that coordinates are scaled with
  Part requested, reserved;                      ///< granularity; predicate of reserved values (strict, run-time)
  std::array<Part, 3> shift;                     ///< log2 of the group size
  Part round_from, half_texel;  ///< CRD-1: the fraction that rounds up, and what is taken off, by the filter
  std::array<Part, 3> anchor, offset;
  Part low, high, coarsened;
};

}  // namespace heddle::spirv::compiler::portable
