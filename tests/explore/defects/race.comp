#version 450
// Each invocation reads what its neighbor wrote, and no barrier stands between.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) buffer Sums { float sums[]; };
shared float part[32];
void main() {
  uint k = gl_LocalInvocationIndex;
  part[k] = float(k);
  sums[k] = part[(k + 1u) % 32u] + part[k];
}
