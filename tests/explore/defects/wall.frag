#version 450
// Three of the planted defects: the wall repeats, sharp and in its own colors, where nothing is wrong.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform sampler2D wall;
layout(set = 0, binding = 1) uniform sampler2D bumps;
void main() {
  vec3 bent = texture(bumps, uv).xyz * 2.0 - 1.0;
  color = vec4(texture(wall, uv * 2.0).rgb * max(bent.z, 0.25), 1.0);
}
