#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 place;
layout(location = 2) perprimitiveEXT flat in vec3 color;
layout(location = 0) out vec4 result;

void main() {
  vec3 n = normalize(normal), to_light = normalize(vec3(-0.6, -0.9, -0.8)), to_eye = normalize(-place);
  float shine = pow(max(dot(n, normalize(to_light + to_eye)), 0), 40);
  result = vec4(color * (0.22 + 0.85 * max(dot(n, to_light), 0)) + 0.35 * shine, 1);
}
