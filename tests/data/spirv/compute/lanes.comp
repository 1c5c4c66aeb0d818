#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
// What lanes learn of each other: votes, ballots, shuffles, reductions, scans, quads.
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 0) buffer Data { uint values[]; };
layout(std430, set = 0, binding = 1) buffer Out { uvec4 results[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, v = values[i];
  uvec4 big = subgroupBallot(v > 7u);
  uint turned = subgroupShuffle(v, gl_SubgroupInvocationID ^ 5u);
  uint total = subgroupAdd(v), before = subgroupExclusiveAdd(v), four = subgroupClusteredMax(v, 4u);
  float product = subgroupMul(float(v) * 0.5);
  bool all = subgroupAll(v != 3u);
  results[i] = uvec4(subgroupBallotBitCount(big), turned + subgroupQuadSwapHorizontal(v), total + before, four);
  if (all && subgroupBroadcastFirst(v) == v) results[i].x += uint(product);
}
