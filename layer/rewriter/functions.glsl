// SPDX-License-Identifier: MIT
#version 450
// What a rewritten shader calls instead of the instruction. Only 32-bit arithmetic, no image, no variable of its own: every
// device can run it. words.py compiles this file into functions.inc; a test compares.
//
// Levels are fixed point with 8 fraction bits and texel indices 1/256 of a texel, as in Heddle's texture unit
// (docs/rules/footprint.md, level-of-detail.md, coordinates.md), so that the answers are its answers where the sampler is
// known. Anisotropic lines become the box around them: another device's taps are not known (FP-22).

// Flags of a sampler's record (layer/rewriter/sampler_record.hpp).
const uint kMagLinear = 1u, kMinLinear = 2u, kMipMask = 0xcu, kMipLinear = 0xcu, kUnnormalized = 0x10u, kKnown = 0x80000000u;

struct Record {
  uint flags;
  float bias, min_lod, max_lod, max_anisotropy, max_lod_bias;
};

struct Footprint2 {
  bool single;
  uvec2 anchor, offset, mask;
  uint lod, granularity;
};

struct Footprint3 {
  bool single;
  uvec3 anchor, offset;
  uvec2 mask;
  uint lod, granularity;
};

// Which level is asked, and how its texels are read.
struct Plan {
  bool single, linear;
  uint level;
  float taps;  // of the anisotropic line: 1, 2, 4, 8 or 16
};

Record unpack_record(const in uvec4 low, const in uvec4 high) {
  return Record(low.x, uintBitsToFloat(low.y), uintBitsToFloat(low.z), uintBitsToFloat(low.w), uintBitsToFloat(high.x),
                uintBitsToFloat(high.y));
}

float no_nan(const in float x) { return isnan(x) ? 0.0 : x; }

// FC13: the nearest multiple of 1/256, ties to even.
int fixed8(const in float x) { return int(roundEven(clamp(no_nan(x), -4096.0, 4096.0) * 256.0)); }

// --- level of detail ---

// ceil(2^(23 + k/256)) of an odd k = 2j + 1: the mantissa from which a logarithm is rounded up.
uint threshold(const in uint j) {
  const uvec4 kSixteenths0 = uvec4(0x80000000u, 0x85aac368u, 0x8b95c1e4u, 0x91c3d374u);
  const uvec4 kSixteenths1 = uvec4(0x9837f052u, 0x9ef53261u, 0xa5fed6aau, 0xad583eeau);
  const uvec4 kSixteenths2 = uvec4(0xb504f334u, 0xbd08a39fu, 0xc5672a11u, 0xce248c15u);
  const uvec4 kSixteenths3 = uvec4(0xd744fccbu, 0xe0ccdeecu, 0xeac0c6e8u, 0xf5257d15u);
  const uvec4 kOdd0 = uvec4(0x8058d7d3u, 0x810b40a2u, 0x81bea171u, 0x8272fb98u);
  const uvec4 kOdd1 = uvec4(0x83285072u, 0x83dea15cu, 0x8495efb3u, 0x854e3cd9u);
  uint a = j >> 3u, b = j & 7u, high, low;
  uvec4 part = a < 8u ? (a < 4u ? kSixteenths0 : kSixteenths1) : (a < 12u ? kSixteenths2 : kSixteenths3);
  uvec4 odd = b < 4u ? kOdd0 : kOdd1;
  uint first = (a & 2u) == 0u ? ((a & 1u) == 0u ? part.x : part.y) : ((a & 1u) == 0u ? part.z : part.w);
  uint second = (b & 2u) == 0u ? ((b & 1u) == 0u ? odd.x : odd.y) : ((b & 1u) == 0u ? odd.z : odd.w);
  umulExtended(first, second, high, low);
  return (high >> 7u) + 1u;
}

// LOD-4: log2 of a length, from its square; exact, whatever the device's log2 is.
int rho_lod(const in float rho_squared) {
  uint bits = floatBitsToUint(rho_squared);
  if (!(rho_squared > 0.0) || bits < 0x00800000u) return -16384;
  if (bits >= 0x7f800000u) return 16384;
  uint mantissa = (bits & 0x7fffffu) | 0x800000u;
  float about = log2(uintBitsToFloat((bits & 0x7fffffu) | 0x3f800000u)) * 128.0;
  uint j = uint(clamp(floor(about), 0.0, 127.0));
  return (int(bits >> 23u) - 127) * 128 + int(j) + (mantissa >= threshold(j) ? 1 : 0);
}

float length_2(const in vec2 d, const in vec2 size) {
  precise float x = no_nan(d.x * size.x), y = no_nan(d.y * size.y);
  precise float xx = x * x, yy = y * y;
  precise float sum = xx + yy;
  return sum;
}

float length_3(const in vec3 d, const in vec3 size) {
  precise float x = no_nan(d.x * size.x), y = no_nan(d.y * size.y), z = no_nan(d.z * size.z);
  precise float xx = x * x, yy = y * y, zz = z * z;
  precise float sum = xx + yy;
  precise float all = sum + zz;
  return all;
}

// FC10, FP-22: taps of the line between two squared lengths, rounded up to a power of two.
float tap_count(const in float big, const in float small, const in float ratio) {
  float most = ceil(ratio), taps = 1.0;
  if (!(ratio > 1.0) || big <= small) return 1.0;
  for (int k = 0; k < 4; ++k)
    if (taps < most && !(taps * taps * small >= big)) taps *= 2.0;
  return max(taps, 2.0);
}

// LOD-5 to LOD-7 of a level of detail that was not clamped yet.
Plan choose(const in int lod, const in float min_lod, const in bool coarse, const in uint levels, const in float taps, const in Record s) {
  int least = max(fixed8(s.min_lod), fixed8(min_lod)), most = fixed8(s.max_lod), last = int(levels) - 1;
  int lambda = max(min(lod, most), least);
  bool magnify = lambda <= 0, mip_linear = (s.flags & kMipMask) == kMipLinear, mip_none = (s.flags & kMipMask) == 0u;
  bool linear = (s.flags & (magnify ? kMagLinear : kMinLinear)) != 0u;
  int greatest = min(most, last * 256), lowest = max(min(least, last * 256), 0);
  int at = magnify || mip_none ? 0 : lambda, fine, beta = 0;
  if (mip_linear) {
    at = max(min(at, greatest), lowest);
    fine = at >> 8;
    beta = at & 255;
  } else {
    at = max(min(at, ((greatest + 255) >> 8) * 256), (lowest >> 8) * 256);
    fine = mip_none ? at >> 8 : (at + 127) >> 8;
  }
  fine = clamp(fine, 0, last);
  int next = min(fine + 1, last);
  bool single = beta == 0 || next == fine;
  if (taps > 1.0) {  // FP-22: another device may stand on the other side of a whole level
    int whole = (lambda + 128) >> 8;
    if (mip_linear && single && abs(lambda - whole * 256) <= 1 && whole >= 0 && whole < last) {
      single = false;
      fine = whole;
      next = whole + 1;
    }
    if (abs(lambda) <= 1) linear = (s.flags & (kMagLinear | kMinLinear)) != 0u;
  }
  return Plan(single, linear, uint(coarse ? next : fine), taps);
}

int biased(const in int base, const in float bias, const in Record s) {
  int most = abs(fixed8(s.max_lod_bias));
  return base + clamp(fixed8(s.bias) + fixed8(bias), -most, most);
}

// LOD-4 with anisotropy: the longer and the shorter squared length.
Plan choose_gradients(const in float x, const in float y, const in float ratio, const in float bias, const in float min_lod,
                      const in bool coarse, const in uint levels, const in Record s) {
  float big = max(x, y), small = min(x, y);
  float rho = ratio > 1.0 ? max(big / (ratio * ratio), small) : big;
  return choose(biased(rho_lod(rho), bias, s), min_lod, coarse, levels, tap_count(big, small, ratio), s);
}

// OpImageQueryLod's answer has bias, clamps, mip mode and anisotropy in it.
Plan choose_queried(const in vec2 queried, const in float min_lod, const in bool coarse, const in uint levels, const in float taps,
                    const in Record s) {
  bool known = (s.flags & kKnown) != 0u, whole = known && (s.flags & kMipMask) != kMipLinear;
  int last = int(levels) - 1, asked = fixed8(min_lod), at = max(fixed8(queried.x), asked);
  if (whole) at = ((at + 127) >> 8) * 256;
  at = clamp(at, 0, last * 256);
  int lambda = max(fixed8(queried.y), asked);
  if (known) lambda = max(min(lambda, fixed8(s.max_lod)), max(fixed8(s.min_lod), asked));
  bool magnify = at <= 0 && lambda <= 0;
  int fine = at >> 8, next = min(fine + 1, last);
  bool single = (at & 255) == 0 || next == fine;
  return Plan(single, (s.flags & (magnify ? kMagLinear : kMinLinear)) != 0u, uint(coarse ? next : fine), taps);
}

// --- texels of an axis ---

// CRD-1, ADR-2: first and last index.
ivec2 exact_range(const in float coordinate, const in int offset, const in uint size, const in bool linear, const in bool unnormalized) {
  precise float t = unnormalized ? coordinate : coordinate * float(size);
  float s = clamp(no_nan(t) * 256.0, -1073741824.0, 1073741824.0), f = floor(s);
  int q = int(f);
  if (linear) q += (s - f >= 0.5 ? 1 : 0) - 128;
  int first = (q >> 8) + offset, last = int(size) - 1;
  return ivec2(clamp(first, 0, last), clamp(first + (linear ? 1 : 0), 0, last));
}

// FP-22: of a line of taps, on one of its axes.
ivec2 line_range(const in float coordinate, const in float gradient, const in float scale, const in float taps, const in int offset,
                 const in uint size, const in bool linear) {
  float center = clamp(no_nan(coordinate * float(size)), -16777216.0, 16777216.0);
  float reach = min(0.5 * abs(no_nan(gradient * float(size) * scale)), taps);
  if (isinf(gradient)) {
    center = 0.0;
    reach = 0.0;
  }
  reach += 0.00390625 + 0.001953125 + 0.0000019073486328125 * (1.0 + abs(center));
  float half_texel = linear ? 0.5 : 0.0;
  int last = int(size) - 1;
  int low = int(floor(clamp(center - reach - half_texel, -4194304.0, 4194304.0))) + offset;
  int high = int(floor(clamp(center + reach - half_texel, -4194304.0, 4194304.0))) + offset + (linear ? 1 : 0);
  return ivec2(clamp(low, 0, last), clamp(high, 0, last));
}

// FC6: the line has at most two texels of the level for each tap.
float line_scale(const in vec2 gradient, const in vec2 size, const in float taps) {
  float squared = length_2(gradient, size), most = 4.0 * taps * taps;
  return squared > most ? sqrt(most / squared) : 1.0;
}

// --- the structure ---

// FC11: the valid granularity at or above one.
uint next_2d(const in uint g) { return g == 0u ? 1u : g > 15u ? 15u : g > 7u && g < 11u ? 11u : g; }
uint next_3d(const in uint g) { return g <= 1u ? 1u : g <= 3u ? 3u : g <= 10u ? 10u : g > 14u ? 14u : g; }

// FP-3: log2 of a group's texels, four bits for each granularity.
uint nibble(const in uint low, const in uint high, const in uint g) { return (g < 8u ? low >> (4u * g) : high >> (4u * g - 32u)) & 15u; }
uvec2 shifts_2d(const in uint g) { return uvec2(nibble(0x44332210u, 0x88776000u, g), nibble(0x43322110u, 0x87766000u, g)); }
uvec3 shifts_3d(const in uint g) {
  return uvec3(nibble(0x00002010u, 0x06555400u, g), nibble(0x00002010u, 0x05554400u, g), nibble(0x00001010u, 0x05544400u, g));
}

// Bits of the groups low to high of an axis, modulo the `width` groups of a set.
uint axis_bits(const in uint low, const in uint high, const in uint width) {
  uint bits = ((2u << (high - low)) - 1u) << (low & (width - 1u));
  return (bits | bits >> width) & ((1u << width) - 1u);
}

// One bit of four to each byte, nibble or half.
uint to_bytes(const in uint n) { return (n & 1u) | (n & 2u) << 7u | (n & 4u) << 14u | (n & 8u) << 21u; }
uint to_nibbles(const in uint n) { return (n & 1u) | (n & 2u) << 3u | (n & 4u) << 6u | (n & 8u) << 9u; }
uint to_halves(const in uint n) { return (n & 1u) | (n & 2u) << 15u; }

Footprint2 encode_2d(const in Plan plan, const in ivec2 x, const in ivec2 y, const in uint requested) {
  uint first = next_2d(requested), g = first;
  uvec2 low, high;
  for (;;) {
    uvec2 shift = shifts_2d(g);
    low = uvec2(x.x, y.x) >> shift;
    high = uvec2(x.y, y.y) >> shift;
    if (all(lessThan(high - low, uvec2(8u))) || g >= 15u) break;
    g = next_2d(g + 1u);
  }
  high = min(high, low + 7u);
  uint bits = axis_bits(low.x, high.x, 8u), rows = axis_bits(low.y, high.y, 8u);
  uvec2 anchor = high >> 3u, offset = uvec2(max(ivec2(anchor * 8u) - ivec2(low), ivec2(0)));  // FC4
  return Footprint2(plan.single, anchor, offset, uvec2(to_bytes(rows & 15u), to_bytes(rows >> 4u)) * bits, plan.level, g == first ? 0u : g);
}

Footprint3 encode_3d(const in Plan plan, const in ivec2 x, const in ivec2 y, const in ivec2 z, const in uint requested) {
  uvec3 shift = shifts_3d(next_3d(requested));  // two texels an axis: every granularity holds them
  uvec3 low = uvec3(x.x, y.x, z.x) >> shift, high = uvec3(x.y, y.y, z.y) >> shift;
  uint slice = to_nibbles(axis_bits(low.y, high.y, 4u)) * axis_bits(low.x, high.x, 4u), slices = axis_bits(low.z, high.z, 4u);
  uvec3 anchor = high >> 2u, offset = uvec3(max(ivec3(anchor * 4u) - ivec3(low), ivec3(0)));  // FC4
  return Footprint3(plan.single, anchor, offset, uvec2(to_halves(slices & 3u), to_halves(slices >> 2u)) * slice, plan.level, 0u);
}

// FC8: a coarse query of one level.
Footprint2 empty_2d() { return Footprint2(true, uvec2(0u), uvec2(0u), uvec2(0u), 0u, 0u); }
Footprint3 empty_3d() { return Footprint3(true, uvec3(0u), uvec3(0u), uvec2(0u), 0u, 0u); }

Footprint2 answer_2d(const in Plan plan, const in vec2 p, const in vec2 axis, const in ivec2 offset, const in uint granularity,
                     const in bool coarse, const in uvec2 size, const in Record s) {
  if (coarse && plan.single) return empty_2d();
  uvec2 level = max(size >> plan.level, uvec2(1u));
  ivec2 x, y;
  if (plan.taps > 1.0) {
    float scale = line_scale(axis, vec2(level), plan.taps);
    x = line_range(p.x, axis.x, scale, plan.taps, offset.x, level.x, plan.linear);
    y = line_range(p.y, axis.y, scale, plan.taps, offset.y, level.y, plan.linear);
  } else {
    bool unnormalized = (s.flags & kUnnormalized) != 0u;
    x = exact_range(p.x, offset.x, level.x, plan.linear, unnormalized);
    y = exact_range(p.y, offset.y, level.y, plan.linear, unnormalized);
  }
  return encode_2d(plan, x, y, granularity);
}

Footprint3 answer_3d(const in Plan plan, const in vec3 p, const in ivec3 offset, const in uint granularity, const in bool coarse,
                     const in uvec3 size) {
  if (coarse && plan.single) return empty_3d();
  uvec3 level = max(size >> plan.level, uvec3(1u));
  return encode_3d(plan, exact_range(p.x, offset.x, level.x, plan.linear, false), exact_range(p.y, offset.y, level.y, plan.linear, false),
                   exact_range(p.z, offset.z, level.z, plan.linear, false), granularity);
}

// --- what the rewriter calls ---

Footprint2 footprint_2d_lod(const in vec2 p, const in float lod, const in float bias, const in float min_lod, const in ivec2 offset,
                            const in uint granularity, const in bool coarse, const in uvec2 size, const in uint levels, const in uvec4 low,
                            const in uvec4 high) {
  Record s = unpack_record(low, high);
  return answer_2d(choose(biased(fixed8(lod), bias, s), min_lod, coarse, levels, 1.0, s), p, vec2(0.0), offset, granularity, coarse, size, s);
}

Footprint2 footprint_2d_grad(const in vec2 p, const in vec2 dx, const in vec2 dy, const in float bias, const in float min_lod,
                             const in ivec2 offset, const in uint granularity, const in bool coarse, const in uvec2 size,
                             const in uint levels, const in uvec4 low, const in uvec4 high) {
  Record s = unpack_record(low, high);
  float x = length_2(dx, vec2(size)), y = length_2(dy, vec2(size));
  Plan plan = choose_gradients(x, y, min(s.max_anisotropy, 16.0), bias, min_lod, coarse, levels, s);
  return answer_2d(plan, p, x > y ? dx : dy, offset, granularity, coarse, size, s);
}

Footprint2 footprint_2d_queried(const in vec2 p, const in vec2 dx, const in vec2 dy, const in vec2 queried, const in float min_lod,
                                const in ivec2 offset, const in uint granularity, const in bool coarse, const in uvec2 size,
                                const in uint levels, const in uvec4 low, const in uvec4 high) {
  Record s = unpack_record(low, high);
  float x = length_2(dx, vec2(size)), y = length_2(dy, vec2(size));
  float taps = tap_count(max(x, y), min(x, y), min(s.max_anisotropy, 16.0));
  return answer_2d(choose_queried(queried, min_lod, coarse, levels, taps, s), p, x > y ? dx : dy, offset, granularity, coarse, size, s);
}

Footprint3 footprint_3d_lod(const in vec3 p, const in float lod, const in float bias, const in float min_lod, const in ivec3 offset,
                            const in uint granularity, const in bool coarse, const in uvec3 size, const in uint levels, const in uvec4 low,
                            const in uvec4 high) {
  Record s = unpack_record(low, high);
  return answer_3d(choose(biased(fixed8(lod), bias, s), min_lod, coarse, levels, 1.0, s), p, offset, granularity, coarse, size);
}

Footprint3 footprint_3d_grad(const in vec3 p, const in vec3 dx, const in vec3 dy, const in float bias, const in float min_lod,
                             const in ivec3 offset, const in uint granularity, const in bool coarse, const in uvec3 size,
                             const in uint levels, const in uvec4 low, const in uvec4 high) {
  Record s = unpack_record(low, high);
  float x = length_3(dx, vec3(size)), y = length_3(dy, vec3(size));
  return answer_3d(choose_gradients(x, y, 1.0, bias, min_lod, coarse, levels, s), p, offset, granularity, coarse, size);  // FC15
}

Footprint3 footprint_3d_queried(const in vec3 p, const in vec2 queried, const in float min_lod, const in ivec3 offset,
                                const in uint granularity, const in bool coarse, const in uvec3 size, const in uint levels,
                                const in uvec4 low, const in uvec4 high) {
  Record s = unpack_record(low, high);
  return answer_3d(choose_queried(queried, min_lod, coarse, levels, 1.0, s), p, offset, granularity, coarse, size);
}

void main() {}
