#version 450
// A texture, a discard, and a loop: something for each view.
layout(binding = 0) uniform sampler2D wall;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
  vec4 sum = vec4(0.0);
  for (int i = 0; i < 3; ++i) sum += texture(wall, uv * float(i + 1)) / 3.0;
  if (distance(uv, vec2(0.5)) > 0.6) discard;
  color = vec4(sum.rgb * uv.x, 1.0);
}
