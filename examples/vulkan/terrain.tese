#version 450
// A vertex of the ground, lifted by the texture of heights; the texels that it reads are counted.
layout(quads, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec2 corner[];
layout(location = 0) out vec3 at;
layout(location = 1) out vec3 normal;

layout(binding = 0) uniform sampler2D heights;
layout(binding = 1, std430) buffer Counts { uint counts[]; };
layout(push_constant) uniform View {
  mat4 to_clip;
  vec3 eye;
};

const float kHeight = 0.22;

float height(vec2 ground) { return textureLod(heights, ground, 0).r * kHeight; }

void main() {
  vec2 ground = mix(mix(corner[0], corner[1], gl_TessCoord.x), mix(corner[3], corner[2], gl_TessCoord.x), gl_TessCoord.y);
  ivec2 size = textureSize(heights, 0);
  ivec2 first = ivec2(floor(ground * size - 0.5));
  for (int k = 0; k < 4; ++k) {
    ivec2 texel = clamp(first + ivec2(k & 1, k >> 1), ivec2(0), size - 1);
    atomicAdd(counts[texel.y * size.x + texel.x], 1);
  }
  at = vec3(ground.x, height(ground), ground.y);
  vec2 step_x = vec2(1.0 / size.x, 0), step_y = vec2(0, 1.0 / size.y);
  normal = normalize(vec3(height(ground - step_x) - height(ground + step_x), 2.0 / size.x, height(ground - step_y) - height(ground + step_y)));
  gl_Position = to_clip * vec4(at, 1);
}
