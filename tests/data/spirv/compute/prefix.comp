#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
// A scan over a workgroup: subgroups first, then their totals in shared memory; and a loop that lanes leave one after the other.
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer In { uint values[]; };
layout(std430, set = 0, binding = 1) buffer Out { uint results[]; };
shared uint totals[64];
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint v = values[i];
  uint sum = subgroupInclusiveAdd(v);
  if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u) totals[gl_SubgroupID] = sum;
  barrier();
  for (uint k = 0u; k < gl_SubgroupID; ++k) sum += totals[k];
  results[i * 3u] = sum;
  // Each round one lane is chosen and leaves; what it saw last must stay its own.
  uvec4 seen = uvec4(0u);
  uint rounds = 0u;
  for (;;) {
    seen = subgroupBallot(true);
    ++rounds;
    if (subgroupElect()) break;
  }
  results[i * 3u + 1u] = seen.x;
  results[i * 3u + 2u] = rounds;
}
