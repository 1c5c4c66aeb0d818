#version 450
// Specialization constants and push constants: a workgroup's size, a loop's length, a choice, constants made of others.
layout(local_size_x_id = 0, local_size_y = 2) in;
layout(constant_id = 1) const int rounds = 3;
layout(constant_id = 2) const bool brighten = false;
layout(constant_id = 3) const float gain = 1.5;
const int twice = rounds * 2 + 1;
layout(push_constant) uniform Push { vec4 color; int first; layout(offset = 32) mat2 turn; } push;
layout(std430, set = 0, binding = 0) buffer Out { vec4 colors[]; };
void main() {
  vec4 c = push.color;
  for (int k = 0; k < rounds; ++k) c.xy = push.turn * c.xy + float(twice);
  if (brighten) c *= gain;
  colors[push.first + int(gl_GlobalInvocationID.x)] = c;
}
