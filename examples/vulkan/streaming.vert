#version 450
// The town. The same position in every pass, so that depths are equal.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 coordinate_and_light;
layout(push_constant) uniform Camera { mat4 to_clip; } camera;
layout(location = 0) out vec2 coordinate;
layout(location = 1) out float light;
invariant gl_Position;

void main() {
  gl_Position = camera.to_clip * vec4(position, 1.0);
  coordinate = coordinate_and_light.xy;
  light = coordinate_and_light.z;
}
