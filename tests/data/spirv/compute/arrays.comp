#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Atomics on elements of an array of buffers that differ from lane to lane.
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer Counters { uint total; uint bins[4]; } counters[3];
layout(std430, set = 0, binding = 3) buffer In { uint values[]; };
void main() {
  uint v = values[gl_GlobalInvocationID.x];
  atomicAdd(counters[nonuniformEXT(v % 3u)].total, v);
  atomicAdd(counters[nonuniformEXT(v % 3u)].bins[v / 3u % 4u], 1u);
}
