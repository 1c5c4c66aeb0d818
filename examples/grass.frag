#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec4 look;
layout(location = 2) in float side;
layout(location = 0) out vec4 result;

const vec3 kHaze = vec3(0.80, 0.87, 0.90);

void main() {
  if (look.x < -1.5) {
    result = vec4(mix(vec3(0.27, 0.50, 0.78), kHaze, pow(clamp(side * 3.6, 0, 1), 1.4)), 1);
    return;
  }
  vec3 color;
  if (look.x < -0.5) {
    color = vec3(0.13, 0.16, 0.06) + 0.03 * sin(look.w * 3.1) * sin(look.z * 2.3);
  } else {
    vec3 tip = mix(vec3(0.42, 0.62, 0.16), vec3(0.78, 0.74, 0.30), look.y * look.y);
    color = mix(vec3(0.06, 0.12, 0.03), tip, pow(look.x, 0.8));
    float light = abs(dot(normalize(normal), normalize(vec3(0.5, 0.6, -0.4))));
    color *= 0.55 + 0.6 * light + 0.12 * side;
  }
  result = vec4(mix(color, kHaze, 1 - exp(-0.0050 * look.z * look.z)), 1);
}
