#version 450
// Decoupled shading, second pass: a group of 16 invocations for every 4 x 4 group of texels of every level; those that no pixel marked end at
// once, the others compute marble.
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) readonly buffer Marks { uint words[]; } marks;
layout(binding = 1, rgba8) uniform writeonly image2D levels[7];
layout(binding = 2) buffer Counts { uint shaded; uint all; } counts;

const int SIZE = 512;

int sets(int level) { return max(1, (SIZE >> level) / 32); }

float random(ivec2 p) {
  uint h = uint(p.x) * 0x8da6b343u + uint(p.y) * 0xd8163841u;
  h = (h ^ (h >> 13)) * 0xcb1ab31fu;
  return float((h ^ (h >> 16)) & 0xffffu) / 65535.0;
}

float noise(vec2 p) {
  ivec2 i = ivec2(floor(p));
  vec2 f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(mix(random(i), random(i + ivec2(1, 0)), f.x), mix(random(i + ivec2(0, 1)), random(i + ivec2(1, 1)), f.x), f.y);
}

float clouds(vec2 p, int octaves) {
  float sum = 0.0, weight = 0.5;
  for (int i = 0; i < octaves; ++i) {
    sum += weight * noise(p);
    p = mat2(1.6, 1.2, -1.2, 1.6) * p + 3.7;
    weight *= 0.5;
  }
  return sum;
}

vec3 marble(vec2 uv, int octaves) {
  vec2 tile = floor(uv * 8.0), in_tile = fract(uv * 8.0);
  bool dark = mod(tile.x + tile.y, 2.0) > 0.5;
  vec2 p = uv * 9.0 + tile * 17.3;
  float warp = clouds(p, octaves), vein = abs(sin((p.x * 0.7 + p.y + 5.0 * clouds(p + 4.0 * warp, octaves)) * 1.4));
  vec3 c = dark ? mix(vec3(0.62, 0.68, 0.62), vec3(0.10, 0.20, 0.17), pow(vein, 0.35)) : mix(vec3(0.52, 0.42, 0.34), vec3(0.93, 0.89, 0.82), pow(vein, 0.4));
  float joint = max(abs(in_tile.x - 0.5), abs(in_tile.y - 0.5));
  return c * (1.0 - 0.75 * smoothstep(0.47, 0.485, joint)) * (0.85 + 0.3 * warp);
}

void main() {
  int level = int(gl_WorkGroupID.z);
  ivec2 group = ivec2(gl_WorkGroupID.xy), texel = ivec2(gl_GlobalInvocationID.xy);
  int size = SIZE >> level;
  if (any(greaterThanEqual(group * 4, ivec2(size)))) return;
  int first = 0;
  for (int l = 0; l < level; ++l) first += sets(l) * sets(l);
  ivec2 set = group / 8;
  uint bit = uint((group.y & 7) * 8 + (group.x & 7));
  uint word = marks.words[2 * (first + set.y * sets(level) + set.x) + int(bit >> 5)];
  bool needed = (word >> (bit & 31u) & 1u) != 0u;
  if (gl_LocalInvocationIndex == 0u) {
    atomicAdd(counts.all, 16u);
    if (needed) atomicAdd(counts.shaded, 16u);
  }
  if (needed) imageStore(levels[level], texel, vec4(marble((vec2(texel) + 0.5) / float(size), 7 - level), 1.0));
}
