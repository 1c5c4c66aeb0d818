#version 460
#extension GL_EXT_nonuniform_qualifier : require
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
  uint which = uint(at.x) % 3u, how = uint(at.y) % 2u;
  vec4 sum = textureLod(sampler2D(pictures[nonuniformEXT(which)], samplers[nonuniformEXT(how)]), uv, push.lod);
  sum.x += texture(sampler2DArrayShadow(depths, comparing), vec4(uv, float(which), 0.5));
  sum += textureGather(sampler2D(pictures[1], samplers[0]), uv, 2);
  sum += textureGrad(samplerCube(sky, samplers[1]), vec3(uv, 0.75), vec3(0.01, 0.0, 0.0), vec3(0.0, 0.02, 0.0));
  imageStore(result, at, sum);
}
