#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput before;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform usubpassInput mask;
layout(location = 0) out vec4 color;
void main() {
  vec4 c = subpassLoad(before);
  uvec4 m = subpassLoad(mask);
  color = vec4(c.rgb, float(m.x));
}
