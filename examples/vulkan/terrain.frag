#version 450
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec4 color;

layout(constant_id = 0) const bool kLines = false;
layout(push_constant) uniform View {
  mat4 to_clip;
  vec3 eye;
};

void main() {
  if (kLines) {
    color = vec4(0.05, 0.07, 0.1, 0.35);
    return;
  }
  float steep = 1 - normalize(normal).y, high = at.y / 0.22;
  vec3 grass = vec3(0.35, 0.5, 0.22), rock = vec3(0.45, 0.41, 0.37), snow = vec3(0.93, 0.95, 0.98), sand = vec3(0.76, 0.7, 0.5);
  vec3 ground = mix(sand, grass, smoothstep(0.18, 0.3, high));
  ground = mix(ground, rock, smoothstep(0.12, 0.3, steep));
  ground = mix(ground, snow, smoothstep(0.62, 0.75, high) * (1 - smoothstep(0.3, 0.5, steep)));
  float light = 0.35 + 0.75 * max(0, dot(normalize(normal), normalize(vec3(0.5, 0.6, -0.35))));
  color = vec4(mix(ground * light, vec3(0.7, 0.8, 0.9), smoothstep(0.6, 2.0, distance(at, eye))), 1);
}
