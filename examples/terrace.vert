#version 450
// The terrace, whose mesh is in clip space already, seen through a longer lens: zoomed, then moved.
layout(location = 0) in vec4 position;
layout(location = 1) in vec3 world;
layout(location = 2) in vec3 normal;
layout(location = 3) in vec3 color;
layout(location = 4) in vec3 light;
layout(push_constant) uniform Push { vec2 shift; float zoom; } push;
layout(location = 0) out vec3 out_world;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec3 out_color;
layout(location = 3) out vec3 out_light;

void main() {
  gl_Position = vec4(position.xy * push.zoom + push.shift * position.w, position.zw);
  out_world = world;
  out_normal = normal;
  out_color = color;
  out_light = light;
}
