#version 450
#extension GL_NV_shader_texture_footprint : require
#extension GL_ARB_gpu_shader_int64 : require
// First pass: nothing is sampled. Each pixel that is seen asks which 64 x 64 tiles of the texture its anisotropic sample would read, in the finer
// and in the coarser level, and marks them: one bit a tile, two texels of 32 bits for 8 x 8 tiles, one layer a level.
layout(early_fragment_tests) in;
layout(binding = 0) uniform sampler2D town;
layout(binding = 1, r32ui) uniform uimage2DArray marks;
layout(location = 0) in vec2 coordinate;
layout(location = 1) in float light;
layout(location = 0) out vec4 color;

const int kTiles64x64 = 11;

void mark(ivec2 at, int level, uint64_t bits) {
  uvec2 halves = uvec2(uint(bits), uint(bits >> 32));
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, imageSize(marks).xy / ivec2(2, 1)))) return;
  if (halves.x != 0u) imageAtomicOr(marks, ivec3(2 * at.x, at.y, level), halves.x);
  if (halves.y != 0u) imageAtomicOr(marks, ivec3(2 * at.x + 1, at.y, level), halves.y);
}

// The anchor is the lower right of up to four such squares; the offset says how many columns and rows of the mask lie before it.
void mark_all(gl_TextureFootprint2DNV f) {
  uint64_t mask = uint64_t(f.mask.x) | uint64_t(f.mask.y) << 32;
  uint64_t right = uint64_t(0xffu >> f.offset.x) * 0x0101010101010101ul;
  uint64_t lower = f.offset.y == 0u ? ~0ul : (1ul << (64u - 8u * f.offset.y)) - 1ul;
  ivec2 anchor = ivec2(f.anchor);
  int level = int(f.lod);
  mark(anchor, level, mask & right & lower);
  if (f.offset.x != 0u) mark(anchor - ivec2(1, 0), level, mask & ~right & lower);
  if (f.offset.y != 0u) mark(anchor - ivec2(0, 1), level, mask & right & ~lower);
  if (f.offset.x != 0u && f.offset.y != 0u) mark(anchor - ivec2(1, 1), level, mask & ~right & ~lower);
}

vec3 hue(uint level) { return clamp(abs(fract(vec3(0.0, 0.667, 0.333) + float(level) * 0.17) * 6.0 - 3.0) - 1.0, 0.1, 0.95); }

void main() {
  gl_TextureFootprint2DNV f;
  bool single = textureFootprintNV(town, coordinate, kTiles64x64, false, f);
  mark_all(f);
  ivec2 tile = ivec2(coordinate * vec2(textureSize(town, int(f.lod)))) / 64;
  color = vec4(hue(f.lod) * ((tile.x + tile.y) % 2 == 0 ? 0.95 : 0.6) * (0.4 + 0.6 * light), 1.0);
  if (!single) {
    textureFootprintNV(town, coordinate, kTiles64x64, true, f);
    mark_all(f);
  }
}
