// SPDX-License-Identifier: MIT
// Portable footprints: the state of image and sampler, the operands, the level of detail (FP-5 to FP-8).

#include "spirv/compile/images/portable_writer.hpp"

namespace heddle::spirv::compiler::portable {

/// Sizes and levels of a target from resinfo, its sampler's constants from the record: scalars.
FootprintWriter::State FootprintWriter::state_of(const FootprintTarget& target) {
  State state;
  const Part zero = b.array(Type::UD, "level_zero", 8), info = b.array(Type::UD, "image_info", 4 * b.grf() / 4);
  const LaneRange eight{0, 8};
  b.instruction("mov", eight, {b.destination(zero, eight), b.source(ud(0), eight)}, every_lane());
  b.instruction("resinfo.RGBA", eight, {target.surface, b.raw(zero, eight), b.raw(info, eight)}, every_lane());
  for (unsigned k = 0; k < 4; ++k) state[k] = b.element(info, k * b.grf() / 4).as(Type::D);
  const Part constants = b.array(Type::UD, "sampler_constants", 8);
  b.load_owords(2, target.record, b.raw(constants, eight));
  state[kFlags] = b.element(constants, record::kFlags);
  constexpr unsigned kFloats[] = {record::kBias, record::kMinLod, record::kMaxLod, record::kMaxAnisotropy};
  for (unsigned k = 0; k < 4; ++k) state[kBias + k] = b.element(constants, kFloats[k]).as(Type::F);
  return state;
}

void FootprintWriter::read_state() {
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
void FootprintWriter::read_operands() {
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
      coordinate[k] = u_or_v;
      dx[k] = b.lanes(Type::F, "dx");
      dy[k] = b.lanes(Type::F, "dy");
      for (const LaneRange& range : b.lane_ranges()) {
        const auto corner = [&](unsigned pixel, isa::Modifier modifier) {
          return b.region({u_or_v, modifier}, range.start + pixel, {4, 4, 0});
        };
        for (const bool right : {true, false})
          b.instruction("add", range,
                        {b.destination(right ? dx[k] : dy[k], range), corner(right ? 1 : 2, isa::Modifier::None),
                         corner(0, isa::Modifier::Neg)});
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
Part FootprintWriter::squared_length(const std::array<Part, 3>& derivative, std::string_view hint) {
  Part sum;
  for (unsigned k = 0; k < dim; ++k) {
    const Part texels = f("mul", derivative[k], to(Type::F, size[k], "size"), hint);
    const Part square = f("mul", texels, texels, hint);
    sum = k == 0 ? square : f("add", sum, square, hint);
  }
  return sum;
}

/// ANI-1: `squared`, the square of the length that the LOD is taken from, and `probes`, N as a float.
void FootprintWriter::spread() {
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
Part FootprintWriter::log2_of_length(const Part& x) {
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
void FootprintWriter::choose_levels() {
  b.comment("footprint: level of detail in 1/256");
  Part base;
  if (q.shape.source == ShapeSource::Lod) {
    base = fixed(q.lod, "lod");
  } else {
    spread();
    base = log2_of_length(squared);
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

}  // namespace heddle::spirv::compiler::portable
