#version 450
#extension GL_NV_shader_texture_footprint : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_image_int64 : require
// Which texels of a texture does a view need? Each invocation is a pixel that looks at a floor; it asks for the footprint of its
// trilinear sample in both levels and marks 4 x 4 groups of texels: one bit a group, one 64-bit texel for 8 x 8 groups, one layer a level.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D floor_texture;
layout(binding = 1, r64ui) uniform u64image2DArray marks;
layout(binding = 2, rgba8) writeonly uniform image2D view;
layout(push_constant) uniform Camera { float turn, height; } camera;

const int kGroups4x4 = 3;

// Where the eye's ray meets the floor, in texture coordinates.
bool floor_at(vec2 pixel, vec2 size, out vec2 uv) {
  vec3 ray = normalize(vec3((pixel - size * 0.5) / size.y, 1.0));
  float c = cos(camera.turn), s = sin(camera.turn);
  ray = vec3(c * ray.x + s * ray.z, ray.y + 0.22, c * ray.z - s * ray.x);
  uv = ray.xz * (camera.height / max(ray.y, 1e-4)) * 0.14 + vec2(0.5, 0.5);
  return ray.y > 1e-4 && all(greaterThan(uv, vec2(0.0))) && all(lessThan(uv, vec2(1.0)));
}

void mark(ivec2 at, int level, uint64_t bits) {
  if (bits == 0ul || any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, imageSize(marks).xy))) return;
  imageAtomicOr(marks, ivec3(at, level), bits);
}

// The anchor is the lower right of up to four 64-bit texels; the offset says how many columns and rows of the mask lie before it.
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

void main() {
  ivec2 size = imageSize(view), at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size))) return;
  vec2 uv, right, below;
  vec3 color = mix(vec3(0.55, 0.7, 0.85), vec3(0.8, 0.88, 0.93), float(at.y) / float(size.y));
  if (floor_at(vec2(at) + 0.5, vec2(size), uv)) {
    bool all_there = floor_at(vec2(at) + vec2(1.5, 0.5), vec2(size), right);
    all_there = floor_at(vec2(at) + vec2(0.5, 1.5), vec2(size), below) && all_there;
    vec2 dx = all_there ? right - uv : vec2(0.0), dy = all_there ? below - uv : vec2(0.0);
    gl_TextureFootprint2DNV f;
    bool single = textureFootprintGradNV(floor_texture, uv, dx, dy, kGroups4x4, false, f);
    mark_all(f);
    if (!single) {
      textureFootprintGradNV(floor_texture, uv, dx, dy, kGroups4x4, true, f);
      mark_all(f);
    }
    color = textureGrad(floor_texture, uv, dx, dy).rgb;
  }
  imageStore(view, at, vec4(color, 1.0));
}
