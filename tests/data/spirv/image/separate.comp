#version 460
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform texture2D pictures[3];
layout(set = 0, binding = 1) uniform sampler samplers[2];
layout(set = 0, binding = 2) uniform samplerShadow comparing;
layout(set = 0, binding = 3) uniform texture2DArray depths;
layout(set = 0, binding = 4) uniform textureCube sky;
layout(set = 1, binding = 0) writeonly uniform image2D result;
layout(push_constant) uniform Push { vec2 scale; vec2 shift; float lod; } push;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  vec2 uv = vec2(at) * push.scale + push.shift;
  vec4 sum = textureLod(sampler2D(pictures[0], samplers[1]), uv, push.lod);
  sum += textureLod(sampler2D(pictures[2], samplers[0]), uv, 0.0);
  sum.x += textureGrad(sampler2DArrayShadow(depths, comparing), vec4(uv, float(at.x % 3), 0.5), vec2(0.0), vec2(0.0));
  sum += textureGather(sampler2D(pictures[1], samplers[0]), uv, 2);
  sum += textureLod(samplerCube(sky, samplers[1]), vec3(uv, 0.75), 1.0);
  imageStore(result, at, sum);
}
