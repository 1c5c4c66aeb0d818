#version 450
#extension GL_NV_shader_texture_footprint : require
// Decoupled shading, first pass: nothing is shaded yet. Each pixel asks which 4 x 4 groups of the floor's shading texture it would read, in the
// finer and in the coarser level, and marks them: one bit a group, 64 in two words for each set of 8 x 8 groups.
layout(binding = 0) uniform sampler2D shading;
layout(binding = 1) buffer Marks { uint words[]; } marks;
layout(location = 0) out vec4 color;

const ivec2 SCREEN = ivec2(720, 400);

// Where the eye's ray meets the floor; whether one of two balls hides it.
vec2 floor_at(vec2 pixel, out bool seen, out bool on_floor) {
  vec3 eye = vec3(0.4, 1.5, 4.4), ray = normalize(vec3((pixel - vec2(SCREEN) * vec2(0.5, 0.10)) / float(SCREEN.y), -1.0) * vec3(1.0, -1.0, 1.0));
  vec2 uv = (eye.xz - ray.xz * eye.y / min(ray.y, -0.001)) / 8.0 + 0.5;
  on_floor = ray.y < -0.001 && all(greaterThan(uv, vec2(0.0))) && all(lessThan(uv, vec2(1.0)));
  vec3 a = vec3(-0.9, 0.8, 0.6) - eye, b = vec3(1.5, 0.5, 1.8) - eye;
  float along_a = dot(a, ray), along_b = dot(b, ray);
  seen = dot(a, a) - along_a * along_a > 0.64 && dot(b, b) - along_b * along_b > 0.25;
  return uv;
}

int sets(int level) { return max(1, (textureSize(shading, 0).x >> level) / 32); }

void mark(int level, ivec2 set, uvec2 bits) {
  int n = sets(level), first = 0;
  for (int l = 0; l < level; ++l) first += sets(l) * sets(l);
  if (any(lessThan(set, ivec2(0))) || any(greaterThanEqual(set, ivec2(n)))) return;
  int at = 2 * (first + set.y * n + set.x);
  if (bits.x != 0u) atomicOr(marks.words[at], bits.x);
  if (bits.y != 0u) atomicOr(marks.words[at + 1], bits.y);
}

// The mask is laid over the grid with its anchor's set in the lower right: offset says by how many groups it begins before it.
void mark_all(gl_TextureFootprint2DNV f) {
  uint n = 64u - 8u * f.offset.y;
  uvec2 rows = uvec2(n >= 32u ? ~0u : (1u << n) - 1u, n >= 64u ? ~0u : n > 32u ? (1u << (n - 32u)) - 1u : 0u);
  uvec2 columns = uvec2((0xffu >> f.offset.x) * 0x01010101u);
  ivec2 set = ivec2(f.anchor);
  int level = int(f.lod);
  mark(level, set, f.mask & columns & rows);
  if (f.offset.x != 0u) mark(level, set - ivec2(1, 0), f.mask & ~columns & rows);
  if (f.offset.y != 0u) mark(level, set - ivec2(0, 1), f.mask & columns & ~rows);
  if (f.offset.x != 0u && f.offset.y != 0u) mark(level, set - ivec2(1, 1), f.mask & ~columns & ~rows);
}

vec3 hue(uint level) { return clamp(abs(fract(vec3(0.0, 0.667, 0.333) + float(level) * 0.17) * 6.0 - 3.0) - 1.0, 0.1, 0.95); }

void main() {
  bool seen, on_floor;
  vec2 uv = floor_at(gl_FragCoord.xy, seen, on_floor);
  vec2 dx = dFdx(uv), dy = dFdy(uv);
  vec3 c = vec3(0.16, 0.17, 0.2);
  if (seen && on_floor) {
    gl_TextureFootprint2DNV f;
    bool single = textureFootprintGradNV(shading, uv, dx, dy, 3, false, f);
    mark_all(f);
    ivec2 group = ivec2(uv * vec2(textureSize(shading, int(f.lod)))) / 4;
    c = hue(f.lod) * ((group.x + group.y) % 2 == 0 ? 0.95 : 0.6);
    if (!single) {
      bool coarser = textureFootprintGradNV(shading, uv, dx, dy, 3, true, f);
      if (!coarser) mark_all(f);
    }
  }
  color = vec4(c, 1.0);
}
