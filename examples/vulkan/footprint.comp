#version 450
#extension GL_NV_shader_texture_footprint : require
// Which texels of a texture does a view need? Each invocation is a pixel that looks at a floor; it asks for the footprint of its
// trilinear sample in both levels and marks 4 x 4 groups of texels: one bit a group, two 32-bit texels side by side
// for 8 x 8 groups (rows 0 to 3 and 4 to 7), one layer a level.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D floor_texture;
layout(binding = 1, r32ui) uniform uimage2DArray marks;
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

void mark(ivec2 at, int level, uvec2 bits) {
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, imageSize(marks).xy / ivec2(2, 1)))) return;
  if (bits.x != 0u) imageAtomicOr(marks, ivec3(2 * at.x, at.y, level), bits.x);
  if (bits.y != 0u) imageAtomicOr(marks, ivec3(2 * at.x + 1, at.y, level), bits.y);
}

// The anchor is the lower right of up to four sets of 8 x 8 groups; the offset says how many columns and rows of the mask lie before it.
void mark_all(gl_TextureFootprint2DNV f) {
  uvec2 right = uvec2((0xffu >> f.offset.x) * 0x01010101u);
  int rows = 8 - int(f.offset.y);  // of the anchor's own set
  uvec2 lower = uvec2(rows >= 4 ? ~0u : (1u << (8 * rows)) - 1u, rows <= 4 ? 0u : rows == 8 ? ~0u : (1u << (8 * rows - 32)) - 1u);
  ivec2 anchor = ivec2(f.anchor);
  int level = int(f.lod);
  mark(anchor, level, f.mask & right & lower);
  if (f.offset.x != 0u) mark(anchor - ivec2(1, 0), level, f.mask & ~right & lower);
  if (f.offset.y != 0u) mark(anchor - ivec2(0, 1), level, f.mask & right & ~lower);
  if (f.offset.x != 0u && f.offset.y != 0u) mark(anchor - ivec2(1, 1), level, f.mask & ~right & ~lower);
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
