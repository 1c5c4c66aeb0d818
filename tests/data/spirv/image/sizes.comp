#version 460
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform sampler1D a;
layout(set = 0, binding = 1) uniform sampler2DArrayShadow b;
layout(set = 0, binding = 2) uniform samplerCubeArray c;
layout(set = 0, binding = 3) uniform sampler3D d;
layout(set = 0, binding = 4) uniform sampler2DMSArray e;
layout(set = 0, binding = 5, rgba8) uniform readonly imageCube f;
layout(set = 0, binding = 6) buffer Out { ivec4 sizes[]; };
void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i == 0) sizes[0] = ivec4(textureSize(a, 1), textureQueryLevels(a), 0, 0);
  if (i == 1) sizes[1] = ivec4(textureSize(b, i), textureQueryLevels(b));
  if (i == 2) sizes[2] = ivec4(textureSize(c, i), textureQueryLevels(c));
  if (i == 3) sizes[3] = ivec4(textureSize(d, i - 1), textureQueryLevels(d));
  if (i == 4) sizes[4] = ivec4(textureSize(e), textureSamples(e));
  if (i == 5) sizes[5] = ivec4(imageSize(f), 0, 0);
}
