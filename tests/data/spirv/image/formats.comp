#version 460
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform isamplerBuffer numbers;
layout(set = 0, binding = 1, rgba16f) uniform imageBuffer halves;
layout(set = 0, binding = 2) uniform usampler2DMS samples;
layout(set = 0, binding = 3, rg32f) uniform image1DArray lines;
layout(set = 0, binding = 4, r32i) uniform iimage3D volume;
layout(set = 0, binding = 5) buffer Out { ivec4 sums[]; };
void main() {
  int i = int(gl_GlobalInvocationID.x);
  ivec4 sum = texelFetch(numbers, i % textureSize(numbers));
  for (int s = 0; s < textureSamples(samples); ++s) sum += ivec4(texelFetch(samples, ivec2(i % 8, i / 8), s));
  imageStore(halves, i, vec4(sum) + imageLoad(halves, imageSize(halves) - 1 - i));
  vec4 line = imageLoad(lines, ivec2(i % imageSize(lines).x, 1));
  int old = imageAtomicMax(volume, ivec3(i % 4, i / 4, 1), sum.x);
  old = imageAtomicCompSwap(volume, ivec3(i % 4, i / 4, 0), old, i);
  sums[i] = sum + ivec4(line * 16.0) + old;
}
