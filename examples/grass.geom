#version 450
// A blade of seven vertices that bends with the wind. The first two points are the sky and the ground.
layout(points) in;
layout(triangle_strip, max_vertices = 7) out;
layout(push_constant) uniform Push { uint columns, rows; float wind; } push;
layout(location = 0) in vec4 blade[];
layout(location = 1) in float tint[];
layout(location = 0) out vec3 normal;
layout(location = 1) out vec4 look;  // how far up the blade (-1: ground, -2: sky), tint, distance; x of the ground
layout(location = 2) out float side;

vec4 seen(vec3 p) {
  vec3 v = p - vec3(0, 1.05, 0);
  v.yz = mat2(cos(0.22), -sin(0.22), sin(0.22), cos(0.22)) * v.yz;  // looks down a little
  return vec4(v.x * 1.2, -v.y * 1.8, v.z * 1.002 - 0.1, v.z);
}

void emit(vec4 position, vec3 n, vec4 how, float s) {
  gl_Position = position;
  normal = n;
  look = how;
  side = s;
  EmitVertex();
}

void main() {
  if (gl_PrimitiveIDIn == 0)
    for (int k = 0; k < 4; ++k) emit(vec4(k % 2 * 2 - 1, k / 2 * 2 - 1, 0.9999, 1), vec3(0), vec4(-2, 0, 0, 0), k / 2);
  else if (gl_PrimitiveIDIn == 1)
    for (int k = 0; k < 4; ++k) {
      vec3 p = vec3((k % 2 * 2 - 1) * 60, 0, k / 2 * 60 + 0.4);
      emit(seen(p), vec3(0, 1, 0), vec4(-1, 0, p.z, p.x), 0);
    }
  if (gl_PrimitiveIDIn < 2) return;
  vec3 root = vec3(blade[0].x, 0, blade[0].y);
  float height = blade[0].z, angle = blade[0].w;
  vec3 across = vec3(cos(angle), 0, sin(angle)), lean = vec3(-across.z, 0, across.x);
  float gust = push.wind * (0.6 + 0.4 * sin(root.x * 0.8 + root.z * 1.7));
  for (int k = 0; k < 4; ++k) {
    float up = k / 3.0, bend = up * up;
    vec3 middle = root + vec3(0, height * (up - 0.18 * bend), 0) + lean * (0.25 * height * bend) + vec3(gust * height * bend, 0, 0);
    vec3 n = normalize(lean + vec3(0, 0.5 * up, 0));
    float wide = 0.022 * (1 - up * up) * (0.7 + 0.6 * tint[0]);
    vec4 how = vec4(up, tint[0], root.z, 0);
    if (k < 3) emit(seen(middle - across * wide), n, how, -1);
    emit(seen(middle + across * wide * (k < 3 ? 1 : 0)), n, how, k < 3 ? 1 : 0);
  }
}
