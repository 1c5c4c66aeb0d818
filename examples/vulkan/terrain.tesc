#version 450
// How finely a patch is divided: edges that are long on the screen get many segments. The level of an edge depends on its two ends
// alone, so that neighbors agree.
layout(vertices = 4) out;
layout(location = 0) in vec2 ground[];
layout(location = 0) out vec2 corner[];
layout(location = 1) out vec3 seen[];

layout(binding = 0) uniform sampler2D heights;
layout(push_constant) uniform View {
  mat4 to_clip;
  vec3 eye;
};

const float kHeight = 0.22;

float level(int a, int b) {
  float away = distance(eye, (seen[a] + seen[b]) / 2);
  return clamp(distance(seen[a], seen[b]) / away * 60, 1, 63);
}

void main() {
  corner[gl_InvocationID] = ground[gl_InvocationID];
  vec2 at = ground[gl_InvocationID];
  seen[gl_InvocationID] = vec3(at.x, textureLod(heights, at, 0).r * kHeight, at.y);
  barrier();
  if (gl_InvocationID == 0) {
    // The edges u = 0, v = 0, u = 1, v = 1.
    gl_TessLevelOuter[0] = level(0, 3);
    gl_TessLevelOuter[1] = level(0, 1);
    gl_TessLevelOuter[2] = level(1, 2);
    gl_TessLevelOuter[3] = level(3, 2);
    gl_TessLevelInner[0] = max(gl_TessLevelOuter[1], gl_TessLevelOuter[3]);
    gl_TessLevelInner[1] = max(gl_TessLevelOuter[0], gl_TessLevelOuter[2]);
  }
}
