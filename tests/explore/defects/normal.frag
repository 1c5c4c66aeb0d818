#version 450
// A normal of no length is normalized where the wave is flat.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
  float height = max(0.0, uv.x - 0.5);
  vec3 slope = vec3(height, 0.0, 0.0);
  vec3 direction = normalize(slope);
  float light = direction.x * 0.5 + 0.5;
  color = vec4(vec3(light), 1.0);
}
