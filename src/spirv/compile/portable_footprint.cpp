#include "spirv/compile/portable_footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>

#include "unit/footprint.hpp"
#include "unit/sampler_record.hpp"

namespace heddle::spirv::compiler {
namespace {

using instructions::footprint::Mode;
using isa::Type;
using ShapeSource = instructions::footprint::Source;

Part d(std::int32_t value) { return constant(Type::D, static_cast<std::uint32_t>(value)); }

namespace record = unit::sampler_record;

constexpr std::int32_t kMaxLodBias = 15 * 256;
constexpr std::uint32_t kInfinity = 0x7f800000;

/// The line of taps of anisotropic lanes.
struct Line {
  std::array<Part, 2> gradient;
  Part scale, count, inverse_of_count;  ///< count: N + 1
};

class Footprint {
 public:
  Footprint(Builder& builder, const FootprintOperands& operands, std::span<const FootprintTarget> asked)
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
    const Part dst = b.block(type, hint, 1);
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
  void go(const Part& p, bool inverse, const std::string& label) {
    b.line(fmt::format("({}{}) goto {} {}", inverse ? "!" : "", b.name(p), Builder::exec({0, b.simd()}), label));
  }
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

  // --- correctly rounded quotients and roots, from any approximation within 1 ulp and fused multiply-add ---
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

  /// Width, height, depth, levels, then the sampler's flags, bias, least and greatest LOD, ratio.
  using State = std::array<Part, 9>;
  static constexpr unsigned kLevels = 3, kFlags = 4, kBias = 5, kMinLod = 6, kMaxLod = 7, kRatio = 8;
  State state_of(const FootprintTarget& target);
  void read_state();
  void read_operands();
  [[nodiscard]] std::uint32_t width() const { return dim == 3 ? 4 : 8; }
  void choose_levels();
  Part squared_length(const std::array<Part, 3>& derivative, std::string_view hint);
  void spread();
  Part log2_of_length(const Part& squared);
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

  Builder& b;
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
  std::array<Part, 3> queried;  ///< in registers, with the values of lanes that are not active
  Part highest;                 ///< the greatest magnitude of an operand, as bits
  bool anisotropy = false;      ///< the sampler may be anisotropic: 2D with derivatives
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

/// Sizes and levels of a target from resinfo, its sampler's constants from the record: scalars.
Footprint::State Footprint::state_of(const FootprintTarget& target) {
  State state;
  const Part zero = b.block(Type::UD, "level_zero", 8), info = b.block(Type::UD, "image_info", 4 * b.grf() / 4);
  const Piece eight{0, 8};
  b.line(fmt::format("mov {} {}(0,0)<1> 0:ud", Builder::exec(eight, true), b.name(zero)));
  b.line(fmt::format("resinfo.RGBA {} {} {} {}", Builder::exec(eight, true), target.surface, b.raw(zero, eight),
                     b.raw(info, eight)));
  for (unsigned k = 0; k < 4; ++k) state[k] = b.element(info, k * b.grf() / 4).as(Type::D);
  const Part constants = b.block(Type::UD, "sampler_constants", 8);
  b.line(fmt::format("oword_ld (2) {} 0x0:ud {}", target.record, b.raw(constants, eight)));
  state[kFlags] = b.element(constants, record::kFlags);
  constexpr unsigned kFloats[] = {record::kBias, record::kMinLod, record::kMaxLod, record::kMaxAnisotropy};
  for (unsigned k = 0; k < 4; ++k) state[kBias + k] = b.element(constants, kFloats[k]).as(Type::F);
  return state;
}

void Footprint::read_state() {
  b.comment("footprint: sizes of the image, constants of the sampler");
  State state;
  for (const FootprintTarget& target : targets) {
    const State one = state_of(target);
    if (targets.size() == 1) {
      state = one;
      break;
    }
    for (unsigned k = 0; k < state.size(); ++k) {
      if (dim == 2 && k == 2) continue;
      if (state[k].kind == Part::Kind::Undefined) state[k] = lane(constant(one[k].type, 0), "state");
      b.move(state[k], one[k], target.guard);
    }
  }
  for (unsigned k = 0; k < dim; ++k) size[k] = state[k];
  levels = state[kLevels];
  flags = state[kFlags];
  const auto in_256ths = [&](unsigned at, std::string_view hint) {
    return to(Type::D, make("rnde", Type::F, {f("mul", state[at], real(256), hint)}, hint), hint);
  };
  bias = in_256ths(kBias, "sampler_bias");
  min_lod = in_256ths(kMinLod, "sampler_min_lod");
  max_lod = in_256ths(kMaxLod, "sampler_max_lod");
  mip = u("and", u("shr", flags, ud(record::kMipShift), "mip_filter"), ud(3), "mip_filter").as(Type::D);
  if (q.integer_texels) {  // V6, FLT-5 [C44]
    mag_linear = min_linear = d(0);
    mip = i("min", mip, d(1), "mip_filter");
  } else {
    mag_linear = u("and", flags, ud(record::kMagLinear), "mag_linear").as(Type::D);
    min_linear = u("shr", u("and", flags, ud(record::kMinLinear), "min_linear"), ud(1), "min_linear").as(Type::D);
  }
  anisotropy = dim == 2 && q.shape.source != ShapeSource::Lod && !q.integer_texels;  // FC15
  if (anisotropy) {
    const Part on = u("shr", u("and", flags, ud(record::kAnisotropic), "anisotropic"), ud(5), "anisotropic");
    ratio = f("max", f("mul", to(Type::F, on, "anisotropic"), state[kRatio], "ratio"), real(1), "ratio");
  }

  wrong = u("and", flags, ud(record::kDisabled), "wrong");  // RET-8
  wrong = u("or", wrong, i("asr", i("add", levels, d(-1), "wrong"), d(31), "wrong").as(Type::UD),
            "wrong");  // RET-7: a NULL surface has no level
  if (strict) {
    const std::uint32_t modes = dim == 3 ? 0x1ffu : 0x3fu, clamp = dim == 3 ? 0222u : 022u;  // V2
    const Part others = u("xor", u("and", flags, ud(modes << record::kAddressShift), "modes"),
                          ud(clamp << record::kAddressShift), "modes");
    wrong = u("or", wrong, others, "wrong");
    const Part inverted_range = i("asr", i("add", max_lod, negated(min_lod), "range"), d(31), "range");
    wrong = u("or", wrong, inverted_range.as(Type::UD), "wrong");
  }
  Part unnormalized = u("and", flags, ud(record::kUnnormalized), "unnormalized");  // V3
  if (dim == 2 && q.shape.source == ShapeSource::Lod && !q.shape.bias && !q.shape.min_lod) {
    const Part several = i("min", i("add", levels, d(-1), "several"), d(1), "several");
    unnormalized = u("mul", unnormalized, several.as(Type::UD), "unnormalized");
  }
  wrong = u("or", wrong, unnormalized, "wrong");
}

/// Derivatives, NaN (FC11), and whether all operands are finite.
void Footprint::read_operands() {
  const bool derivatives = q.shape.source != ShapeSource::Lod;
  for (unsigned k = 0; k < dim; ++k) {
    coordinate[k] = q.coordinate[k];
    if (q.shape.source == ShapeSource::Grad) {
      dx[k] = q.dx[k];
      dy[k] = q.dy[k];
    } else if (derivatives) {  // LOD-2, EXE-4: of the quad, whatever lanes are active
      Part u_or_v = coordinate[k];
      if (u_or_v.kind != Part::Kind::Variable || u_or_v.stride != 1 || u_or_v.offset % b.grf() != 0) {
        u_or_v = b.lanes(Type::F, "coordinate");
        b.move(u_or_v, coordinate[k], {{}, false, true});
      }
      coordinate[k] = queried[k] = u_or_v;
      dx[k] = b.lanes(Type::F, "dx");
      dy[k] = b.lanes(Type::F, "dy");
      for (const Piece& piece : b.pieces()) {
        const unsigned byte = u_or_v.offset + 4 * piece.start;
        const auto corner = [&](unsigned pixel) {
          return fmt::format("{}({},{})<4;4,0>", b.name(u_or_v), byte / b.grf(), byte % b.grf() / 4 + pixel);
        };
        for (const bool right : {true, false})
          b.line(fmt::format("add {} {} {} (-){}", Builder::exec(piece), b.destination(right ? dx[k] : dy[k], piece),
                             corner(right ? 1 : 2), corner(0)));
      }
    }
  }
  if (strict) {
    const auto look = [&](const Part& x) {
      const Part magnitude_bits = u("and", x.as(Type::UD), ud(0x7fffffff), "magnitude");
      highest = highest.kind == Part::Kind::Undefined ? magnitude_bits : u("max", highest, magnitude_bits, "highest");
    };
    for (unsigned k = 0; k < dim; ++k) {
      look(coordinate[k]);
      if (!derivatives) continue;
      look(dx[k]);
      look(dy[k]);
    }
    if (q.shape.source == ShapeSource::Lod) look(q.lod);
    if (q.shape.bias) look(q.bias);
    if (q.shape.min_lod) look(q.min_lod);
  }
  for (unsigned k = 0; k < dim; ++k) {
    coordinate[k] = number(coordinate[k], "coordinate");
    if (!derivatives) continue;
    dx[k] = number(dx[k], "dx");
    dy[k] = number(dy[k], "dy");
  }
}

/// LOD-4: squares and sums rounded one by one.
Part Footprint::squared_length(const std::array<Part, 3>& derivative, std::string_view hint) {
  Part sum;
  for (unsigned k = 0; k < dim; ++k) {
    const Part texels = f("mul", derivative[k], to(Type::F, size[k], "size"), hint);
    const Part square = f("mul", texels, texels, hint);
    sum = k == 0 ? square : f("add", sum, square, hint);
  }
  return sum;
}

/// ANI-1: `squared`, the square of the length that the LOD is taken from, and `probes`, N as a float.
void Footprint::spread() {
  spread_x = squared_length(dx, "spread_x");
  spread_y = squared_length(dy, "spread_y");
  const Part big = f("max", spread_x, spread_y, "big");
  squared = lane(big, "squared");
  if (!anisotropy) return;
  probes = lane(real(1), "probes");
  const std::string done = b.label("probes_known"), more = b.label("more_probes");
  go(b.compare("gt", ratio, real(1), "anisotropic"), true, done);
  const Part small = f("min", spread_x, spread_y, "small");
  const Part square_of_ratio = f("mul", ratio, ratio, "ratio_squared");
  const Part reduced = quotient(big, square_of_ratio, inverse(square_of_ratio, "inverse"), "reduced");
  b.op("max", squared, {reduced, small});
  b.move(squared, big, {b.compare("ge", big, constant(Type::F, kInfinity), "infinite"), false, false});
  b.place(more);
  const Part too_few = b.compare("lt", f("mul", f("mul", probes, probes, "square"), small, "reach"), big, "too_few");
  const Part below = b.compare("lt", probes, ratio, "below_ratio");
  b.op("and", too_few, {too_few, below});
  b.op("add", probes, {probes, real(1)}, {too_few, false, false});
  go(too_few, false, more);
  b.place(done);
}

/// LOD-1, LOD-4: (floor(256 log2 x) + 1) >> 1. The logarithm's bits come from squaring the significand eight times in
/// 32-bit fixed point; started one unit above, that is exact for every significand (each of the 256 steps has been
/// checked).
Part Footprint::log2_of_length(const Part& x) {
  const Part bits = x.as(Type::UD);
  const Part significand = u("or", u("and", bits, ud(0x7fffff), "significand"), ud(0x800000), "significand");
  Part rest = u("or", u("shl", significand, ud(8), "rest"), ud(1), "rest");
  Part log = i("add", u("shr", bits, ud(23), "exponent").as(Type::D), d(-127), "log");
  for (unsigned step = 0; step < 8; ++step) {
    const Part square = u("mulh", rest, rest, "square");
    const Part bit = u("shr", square, ud(31), "bit");
    log = i("add", i("shl", log, d(1), "log"), bit.as(Type::D), "log");
    if (step < 7) rest = u("shl", square, u("xor", bit, ud(1), "shift"), "rest");
  }
  const Part rounded = i("asr", i("add", log, d(1), "log"), d(1), "log");
  return select(b.compare("ge", bits, ud(0x00800000), "normal"), rounded, d(-16384), "log");
}

/// Section 3: lambda, the filter, the levels.
void Footprint::choose_levels() {
  b.comment("footprint: level of detail in 1/256");
  Part base;
  if (q.shape.source == ShapeSource::Lod) {
    base = fixed(q.lod, "lod");
  } else {
    // The lod message would count a sampler's anisotropy, which integer texels do not have.
    const bool by_message = q.shape.source == ShapeSource::Implicit && !q.integer_texels;
    if (anisotropy || !by_message) spread();
    if (!by_message) {
      base = log2_of_length(squared);
    } else {  // its second channel: before clamping, with the sampler's bias
      Part answer;
      for (const FootprintTarget& target : targets) {
        const Part one = b.message(16, 2, Type::F, "lod_query", [&](const Piece& piece, const std::string& dst) {
          std::string line =
              fmt::format("lod.RG {} 0x0:uw {} {} {}", Builder::exec(piece), target.sampler, target.surface, dst);
          for (unsigned k = 0; k < dim; ++k) line += " " + b.raw(queried[k], piece);
          b.line(line);
        })[1];
        if (targets.size() > 1 && answer.kind == Part::Kind::Undefined) answer = lane(real(0), "lod_query");
        if (targets.size() > 1)
          b.move(answer, one, target.guard);
        else
          answer = one;
      }
      base = i("add", to(Type::D, f("mul", answer, real(256), "lod"), "lod"), negated(bias), "lod");
    }
  }
  Part all_bias = q.shape.bias ? i("add", fixed(q.bias, "bias"), bias, "bias") : bias;
  all_bias = i("max", i("min", all_bias, d(kMaxLodBias), "bias"), d(-kMaxLodBias), "bias");
  const Part least = q.shape.min_lod ? i("max", fixed(q.min_lod, "min_lod"), min_lod, "min_lod") : min_lod;
  const Part lambda = i("max", i("min", i("add", base, all_bias, "lambda"), max_lod, "lambda"), least, "lambda");

  // LOD-5 to LOD-7. None: level 0, or the least allowed; NEAREST: half a level down; only LINEAR keeps the fraction.
  const Part magnified = b.compare("le", lambda, d(0), "magnified");
  linear = select(magnified, lane(mag_linear, "mag_linear"), min_linear, "linear");
  const Part last = i("shl", i("add", levels, d(-1), "last"), d(8), "last_lod");
  const Part mip_linear = make("mov", Type::D, {negated(i("asr", mip, d(1), "mip_linear"))}, "mip_linear");  // 0 or -1
  const Part mip_some = make("mov", Type::D, {negated(i("and", mip, d(1), "mip_some"))}, "mip_some");
  const Part fraction = i("and", mip_linear, d(255), "fraction_bits");
  const Part whole = i("xor", fraction, d(255), "whole");  // 255: bounds are rounded to whole levels
  const Part keep = make("not", Type::D, {whole}, "keep");
  const Part most = i("and", i("add", i("min", max_lod, last, "most"), whole, "most"), keep, "most");
  const Part fewest = i("and", i("max", i("min", least, last, "fewest"), d(0), "fewest"), keep, "fewest");
  Part lod = i("and", lambda, mip_some, "lod");
  lod = select(magnified, d(0), lod, "lod");
  lod = i("max", i("min", lod, most, "lod"), fewest, "lod");
  const Part nearest = i("and", mip_some, make("not", Type::D, {mip_linear}, "nearest"), "nearest");
  const Part half = i("and", nearest, d(127), "half");
  level = i("asr", i("add", lod, half, "level"), d(8), "level");
  single = b.compare("eq", i("and", lod, fraction, "fraction"), d(0), "single");
  if (!q.coarse.constant())
    level = i("add", level, make("mov", Type::D, {negated(b.to_mask(q.coarse))}, "coarse"), "level");
  else if (q.coarse.bits != 0)
    level = i("add", level, d(1), "level");

  for (unsigned k = 0; k < dim; ++k) {
    level_size[k] = i("max", i("asr", size[k], level, "level_size"), d(1), "level_size");
    level_texels[k] = to(Type::F, level_size[k], "level_texels");
  }
  if (dim == 2 && q.shape.source == ShapeSource::Lod && !q.shape.bias && !q.shape.min_lod) {  // V3
    const Part mask = u("and", flags, ud(record::kUnnormalized), "unnormalized");
    const Part unnormalized = b.compare("ne", mask, ud(0), "unnormalized");
    for (unsigned k = 0; k < dim; ++k) level_texels[k] = select(unnormalized, real(1), level_texels[k], "level_texels");
    const Part magnitude_bits = u("and", q.lod.as(Type::UD), ud(0x7fffffff), "lod_bits");
    const Part nonzero = u("min", magnitude_bits, ud(1), "lod_not_zero");
    wrong = u("or", u("mul", nonzero, mask, "unnormalized_lod"), wrong, "wrong");
  }
}

/// Section 2 as shifts; reserved values count as the next larger one (FC11), strict answers are zero then.
void Footprint::choose_granularity() {
  std::array<std::uint64_t, 4> tables{};  // nibbles: shifts of the axes, the value itself
  std::uint32_t valid = 0;
  for (std::uint32_t g = 0; g < 16; ++g) {
    const std::uint32_t meant = unit::nearest_granularity(dim, g);
    const unit::Coordinates3 texels = unit::granularity_size(dim, meant).value_or(unit::Coordinates3{1, 1, 1});
    for (unsigned k = 0; k < 3; ++k) tables[k] |= static_cast<std::uint64_t>(std::countr_zero(texels[k])) << (4 * g);
    tables[3] |= static_cast<std::uint64_t>(meant) << (4 * g);
    if (unit::granularity_size(dim, g)) valid |= 1u << g;
  }
  if (q.granularity.constant()) {
    const auto given = static_cast<std::uint32_t>(q.granularity.bits);
    const std::uint32_t g = std::min(given, 15u);
    for (unsigned k = 0; k < dim; ++k) shift[k] = d(static_cast<std::int32_t>(tables[k] >> (4 * g) & 15));
    requested = d(static_cast<std::int32_t>(tables[3] >> (4 * g) & 15));
    if (strict && (given > 15 || (valid >> g & 1u) == 0)) wrong = ud(1);
    return;
  }
  b.comment("footprint: granularity");
  const Part given = q.granularity.as(Type::UD), g = u("min", given, ud(15), "granularity");
  const Part nibble = u("shl", u("and", g, ud(7), "nibble"), ud(2), "nibble");
  const Part small = b.compare("lt", g, ud(8), "small_granularity");
  const auto look_up = [&](std::uint64_t table, std::string_view hint) {
    const Part half =
        select(small, ud(static_cast<std::uint32_t>(table)), ud(static_cast<std::uint32_t>(table >> 32)), hint);
    return u("and", u("shr", half, nibble, hint), ud(15), hint).as(Type::D);
  };
  for (unsigned k = 0; k < dim; ++k) shift[k] = look_up(tables[k], "group_shift");
  if (anisotropy) requested = look_up(tables[3], "granularity");
  if (!strict) return;  // V8
  const Part known = u("and", u("shr", ud(valid), g, "known"), ud(1), "known");
  reserved = b.compare("ne", u("max", u("xor", known, ud(1), "known"), u("xor", given, g, "large"), "reserved"), ud(0),
                       "reserved");
}

/// CRD-1: the first texel of the interval, before the address mode.
Part Footprint::first_index(const Part& at, unsigned axis) {
  Part s = f("mul", f("mul", at, level_texels[axis], "texel"), real(256), "texel");
  s = number(s, "texel");
  s = f("max", f("min", s, real(0x1p30f), "texel"), real(-0x1p30f), "texel");
  const Part below = make("rndd", Type::F, {s}, "below");
  Part index = to(Type::D, below, "index");
  b.op("add", index, {index, d(1)},
       {b.compare("ge", f("add", s, negated(below), "rest"), round_from, "up"), false, false});
  index = i("asr", i("add", index, negated(half_texel), "index"), d(8), "index");
  return q.shape.offset ? i("add", index, q.offset[axis], "index") : index;
}

/// Both texels of the axis, clamped to the level (ADR-2).
std::pair<Part, Part> Footprint::interval(const Part& index, unsigned axis) {
  const Part last = i("add", level_size[axis], d(-1), "last_texel");
  const auto clamp = [&](const Part& x, std::string_view hint) {
    return i("min", i("max", x, d(0), hint), last, hint);
  };
  return {clamp(index, "first"), clamp(i("add", index, linear, "second"), "second")};
}

/// The groups of two neighbouring texels in a set, one bit each.
Part Footprint::axis_mask(const Part& first, const Part& last, const Part& by) {
  const auto bit = [&](const Part& texel) {
    const Part group = i("and", i("asr", texel, by, "group"), d(static_cast<std::int32_t>(width() - 1)), "group");
    return u("shl", ud(1), group.as(Type::UD), "bit");
  };
  return u("or", bit(first), bit(last), "axis_mask");
}

/// Section 5: every row (slice) of y (z) gets the columns of x.
std::pair<Part, Part> Footprint::product(const Part& x, const Part& y, const Part& z) {
  if (dim == 2) {
    const auto rows = [&](const Part& four, std::string_view hint) {  // 4 bits to 4 bytes
      const Part spread_out = u("and", u("mul", four, ud(0x00204081), hint), ud(0x01010101), hint);
      return u("mul", spread_out, x, hint);
    };
    return {rows(u("and", y, ud(15), "rows"), "mask_low"), rows(u("shr", y, ud(4), "rows"), "mask_high")};
  }
  Part nibbles = u("and", u("or", y, u("shl", y, ud(6), "rows"), "rows"), ud(0x0303), "rows");
  nibbles = u("and", u("or", nibbles, u("shl", nibbles, ud(3), "rows"), "rows"), ud(0x1111), "rows");
  const Part slice = u("mul", nibbles, x, "slice");
  const auto slices = [&](const Part& two, std::string_view hint) {  // 2 bits to 2 words
    const Part spread_out = u("and", u("or", two, u("shl", two, ud(15), hint), hint), ud(0x00010001), hint);
    return u("mul", spread_out, slice, hint);
  };
  return {slices(u("and", z, ud(3), "slices"), "mask_low"), slices(u("shr", z, ud(2), "slices"), "mask_high")};
}

/// Anchor and offset of the groups from `first` to `last` (FC4).
void Footprint::place_groups(unsigned axis, const Part& first, const Part& last, const Part& by) {
  const Part log_width = d(dim == 2 ? 3 : 2);
  b.move(anchor[axis], i("asr", i("asr", last, by, "group"), log_width, "anchor"));
  const Part before =
      i("add", i("shl", anchor[axis], log_width, "set"), negated(i("asr", first, by, "group")), "before");
  b.move(offset[axis], i("max", before, d(0), "offset"));
}

/// Section 4 with one tap, which always fits the granularity that was asked for.
void Footprint::isotropic() {
  b.comment("footprint: texels and groups");
  round_from = select(b.compare("ne", linear, d(0), "linear"), real(0.5f), real(2), "round_from");  // FC9
  half_texel = i("shl", linear, d(7), "half_texel");
  std::array<Part, 3> masks;
  for (unsigned k = 0; k < dim; ++k) {
    const auto [first, last] = interval(first_index(coordinate[k], k), k);
    masks[k] = axis_mask(first, last, shift[k]);
    anchor[k] = b.lanes(Type::D, "anchor");
    offset[k] = b.lanes(Type::D, "offset");
    place_groups(k, first, last, shift[k]);
  }
  std::tie(low, high) = product(masks[0], masks[1], masks[2]);
  coarsened = anisotropy ? lane(d(0), "coarsened") : d(0);
}

/// ANI-1: the taps p = 1 ... N of a line, one after the other.
void Footprint::each_tap(const Line& line,
                         const std::function<void(unsigned axis, const Part& first, const Part& last)>& use) {
  const Part number_of_tap = lane(real(1), "tap");
  const std::string again = b.label("next_tap");
  b.place(again);
  const Part along =
      f("mul", f("add", quotient(number_of_tap, line.count, line.inverse_of_count, "along"), real(-0.5f), "along"),
        line.scale, "along");
  for (unsigned k = 0; k < 2; ++k) {
    const Part at = f("add", coordinate[k], f("mul", line.gradient[k], along, "step"), "at");
    const auto [first, last] = interval(first_index(at, k), k);
    use(k, first, last);
  }
  b.op("add", number_of_tap, {number_of_tap, real(1)});
  go(b.compare("le", number_of_tap, probes, "more_taps"), false, again);
}

/// The lanes with N > 1 (2D): a first walk finds the extent and so the granularity (FC5), a second one marks the
/// groups.
void Footprint::along_the_line() {
  b.comment("footprint: anisotropic lanes");
  const std::string done = b.label("footprint_done");
  go(b.compare("gt", probes, real(1), "anisotropic"), true, done);

  Line line;
  const Part x_longer = b.compare("gt", spread_x, spread_y, "x_longer");
  Part length;  // squared, in texels of the level
  for (unsigned k = 0; k < 2; ++k) {
    line.gradient[k] = select(x_longer, dx[k], dy[k], "gradient");
    const Part texels = f("mul", line.gradient[k], level_texels[k], "length"),
               square = f("mul", texels, texels, "length");
    length = k == 0 ? square : f("add", length, square, "length");
  }
  const Part limit = f("mul", f("mul", probes, probes, "limit"), real(4), "limit");  // FC6
  const Part too_long = b.compare("gt", length, limit, "too_long");
  line.scale = lane(real(1), "scale");
  b.move(line.scale, root(quotient(limit, length, inverse(length, "inverse"), "shrink"), "shrink"),
         {too_long, false, false});
  b.move(line.scale, real(0), {b.compare("ge", length, constant(Type::F, kInfinity), "infinite"), false, false});
  line.count = f("add", probes, real(1), "taps");
  line.inverse_of_count = inverse(line.count, "inverse");

  std::array<Part, 2> least, most;
  for (unsigned k = 0; k < 2; ++k) {
    least[k] = lane(d(0x7fffffff), "least");
    most[k] = lane(d(0), "most");
  }
  each_tap(line, [&](unsigned k, const Part& first, const Part& last) {
    b.op("min", least[k], {least[k], first});
    b.op("max", most[k], {most[k], last});
  });
  // The taps span at most 2N texels, so granularity 5 always holds them: four steps from 1.
  const Part granularity = lane(requested, "granularity");
  std::array<Part, 2> by = {lane(shift[0], "group_shift"), lane(shift[1], "group_shift")};
  for (unsigned step = 0; step < 4; ++step) {
    Part extent;
    for (unsigned k = 0; k < 2; ++k) {
      const Part groups =
          i("add", i("asr", most[k], by[k], "extent"), negated(i("asr", least[k], by[k], "extent")), "extent");
      extent = k == 0 ? groups : i("max", extent, groups, "extent");
    }
    const Part too_wide = b.compare("ge", extent, d(8), "too_wide");
    b.op("add", granularity, {granularity, d(1)}, {too_wide, false, false});
    // Section 2, 2D: the sizes double in x and y by turns.
    for (unsigned k = 0; k < 2; ++k)
      b.move(by[k], i("asr", i("add", granularity, d(k == 0 ? 2 : 1), "group_shift"), d(1), "group_shift"),
             {too_wide, false, false});
  }
  for (unsigned k = 0; k < 2; ++k) place_groups(k, least[k], most[k], by[k]);
  b.move(coarsened, select(b.compare("ne", granularity, requested, "coarser"), granularity, d(0), "coarsened"));
  b.move(low, ud(0));
  b.move(high, ud(0));
  Part columns;
  each_tap(line, [&](unsigned k, const Part& first, const Part& last) {
    const Part bits = axis_mask(first, last, by[k]);
    if (k == 0) {
      columns = bits;
      return;
    }
    const auto [more_low, more_high] = product(columns, bits, {});
    b.op("or", low, {low, more_low});
    b.op("or", high, {high, more_high});
  });
  b.place(done);
}

std::vector<Part> Footprint::finish() {
  b.comment("footprint: the result");
  const Part bad = b.compare("ne", wrong, ud(0), "undefined");
  const auto also = [&](const Part& p) { b.op("or", bad, {bad, p}); };
  if (strict) also(b.compare("ge", highest, ud(kInfinity), "infinite"));
  if (reserved.kind == Part::Kind::Predicate) also(reserved);
  std::vector<Part> members;
  members.push_back(select(bad, d(0), select(single, d(1), d(0), "single"), "single"));
  if (q.coarse.constant()) {
    if (q.coarse.bits != 0) also(single);  // FC8
  } else {
    const Part empty = b.to_predicate(q.coarse);
    const Part both = b.predicate("empty");
    b.op("and", both, {empty, single});
    also(both);
  }
  const auto add = [&](const Part& p, std::string_view hint) {
    members.push_back(select(bad, d(0), p.as(Type::D), hint));
  };
  for (unsigned k = 0; k < dim; ++k) add(anchor[k], "anchor");
  for (unsigned k = 0; k < dim; ++k) add(offset[k], "offset");
  add(low, "mask_low");
  add(high, "mask_high");
  add(level, "lod");
  add(coarsened, "granularity");
  for (Part& p : members) p.type = Type::UD;
  return members;
}

}  // namespace

std::vector<Part> portable_footprint(Builder& builder, const FootprintOperands& operands,
                                     std::span<const FootprintTarget> targets) {
  return Footprint(builder, operands, targets).run();
}

}  // namespace heddle::spirv::compiler
