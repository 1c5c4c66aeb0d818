#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
// Floating-point sums and extremes in a buffer and in shared memory.
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer In { float values[]; };
layout(std430, set = 0, binding = 1) buffer Totals { float sum; float least; float most; float shared_sum[2]; };
shared float group_sum;
void main() {
  float v = values[gl_GlobalInvocationID.x];
  if (gl_LocalInvocationIndex == 0u) group_sum = 0.0;
  barrier();
  atomicAdd(sum, v);
  atomicMin(least, v);
  atomicMax(most, v);
  atomicAdd(group_sum, v);
  barrier();
  if (gl_LocalInvocationIndex == 0u) shared_sum[gl_WorkGroupID.x] = group_sum;
}
