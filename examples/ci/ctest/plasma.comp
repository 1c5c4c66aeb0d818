// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer Picture { float values[]; };
layout(push_constant) uniform Frame { uvec2 size; float time; };

void main() {
  if (any(greaterThanEqual(gl_GlobalInvocationID.xy, size))) return;
  vec2 p = vec2(gl_GlobalInvocationID.xy) / vec2(size) * 6.0 - 3.0;
  float wave = sin(p.x + time) + sin(length(p) * 2.0 - time) + cos(p.y * 1.5 + 0.5 * time);
  vec3 color = 0.5 + 0.5 * cos(wave + vec3(0.0, 2.1, 4.2));
  uint at = (gl_GlobalInvocationID.y * size.x + gl_GlobalInvocationID.x) * 3u;
  values[at] = color.r;
  values[at + 1u] = color.g;
  values[at + 2u] = color.b;
}
