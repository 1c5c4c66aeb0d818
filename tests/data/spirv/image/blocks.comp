#version 460
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std140) uniform Params { ivec4 origin; float gains[3]; mat2x3 tint; } params;
layout(set = 0, binding = 1) uniform isamplerBuffer numbers;
layout(set = 0, binding = 2, rgba8) uniform imageBuffer bytes;
layout(set = 0, binding = 3, rg32f) uniform image1DArray lines;
layout(set = 0, binding = 4, r32i) uniform iimage3D volume;
layout(set = 1, binding = 2, std430) buffer Out { ivec4 sums[]; };
layout(push_constant) uniform Push { int shift; layout(offset = 8) vec2 scale; } push;
void main() {
  int i = int(gl_GlobalInvocationID.x);
  ivec4 sum = texelFetch(numbers, (i + push.shift) % textureSize(numbers)) + params.origin;
  vec4 before = imageLoad(bytes, i);
  imageStore(bytes, i, before.yxwz * 0.5 + vec4(push.scale, params.gains[i % 3], params.tint[1].z) * 0.25);
  vec4 line = imageLoad(lines, ivec2(i % imageSize(lines).x, 1));
  imageStore(lines, ivec2(i % imageSize(lines).x, 0), line + params.gains[1]);
  int old = imageAtomicMax(volume, ivec3(i % 4, i / 4, 1), sum.x);
  imageAtomicCompSwap(volume, ivec3(i % 4, i / 4, 0), old & 1, i);
  sums[i] = sum + ivec4(line * 16.0) + old;
}
