// SPDX-License-Identifier: MIT
// Portable footprints: granularity, texels, groups and the result (footprint 2, 4, 5).
// Rules: ADR-2, ANI-1, CRD-1, FC4 to FC6, FC8, FC9, FC11, SPV-30.

#include <algorithm>
#include <bit>
#include <tuple>

#include "spirv/compile/images/portable_writer.hpp"
#include "texture/footprint.hpp"

namespace heddle::spirv::compiler {
namespace portable {

/// Section 2 as shifts; reserved values count as the next larger one (FC11), strict answers are zero then.
void FootprintWriter::choose_granularity() {
  std::array<std::uint64_t, 4> tables{};  // nibbles: shifts of the axes, the value itself
  std::uint32_t valid = 0;
  for (std::uint32_t g = 0; g < 16; ++g) {
    const std::uint32_t meant = texture::nearest_granularity(dim, g);
    const texture::Coordinates3 texels = texture::granularity_size(dim, meant).value_or(texture::Coordinates3{1, 1, 1});
    for (unsigned k = 0; k < 3; ++k) tables[k] |= static_cast<std::uint64_t>(std::countr_zero(texels[k])) << (4 * g);
    tables[3] |= static_cast<std::uint64_t>(meant) << (4 * g);
    if (texture::granularity_size(dim, g)) valid |= 1u << g;
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
Part FootprintWriter::first_index(const Part& at, unsigned axis) {
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
std::pair<Part, Part> FootprintWriter::interval(const Part& index, unsigned axis) {
  const Part last = i("add", level_size[axis], d(-1), "last_texel");
  const auto clamp = [&](const Part& x, std::string_view hint) {
    return i("min", i("max", x, d(0), hint), last, hint);
  };
  return {clamp(index, "first"), clamp(i("add", index, linear, "second"), "second")};
}

/// The groups of two neighboring texels in a set, one bit each.
Part FootprintWriter::axis_mask(const Part& first, const Part& last, const Part& by) {
  const auto bit = [&](const Part& texel) {
    const Part group = i("and", i("asr", texel, by, "group"), d(static_cast<std::int32_t>(width() - 1)), "group");
    return u("shl", ud(1), group.as(Type::UD), "bit");
  };
  return u("or", bit(first), bit(last), "axis_mask");
}

/// Section 5: every row (slice) of y (z) gets the columns of x.
std::pair<Part, Part> FootprintWriter::product(const Part& x, const Part& y, const Part& z) {
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
void FootprintWriter::place_groups(unsigned axis, const Part& first, const Part& last, const Part& by) {
  const Part log_width = d(dim == 2 ? 3 : 2);
  b.move(anchor[axis], i("asr", i("asr", last, by, "group"), log_width, "anchor"));
  const Part before =
      i("add", i("shl", anchor[axis], log_width, "set"), negated(i("asr", first, by, "group")), "before");
  b.move(offset[axis], i("max", before, d(0), "offset"));
}

/// Section 4 with one tap, which always fits the granularity that was asked for.
void FootprintWriter::isotropic() {
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
void FootprintWriter::each_tap(const Line& line,
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
void FootprintWriter::along_the_line() {
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

std::vector<Part> FootprintWriter::finish() {
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

}  // namespace portable

std::vector<Part> portable_footprint(VisaWriter& builder, const FootprintOperands& operands,
                                     std::span<const FootprintTarget> targets) {
  return portable::FootprintWriter(builder, operands, targets).run();
}

}  // namespace heddle::spirv::compiler
