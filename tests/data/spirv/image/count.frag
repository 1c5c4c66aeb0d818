#version 450
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D drawn;
layout(location = 0) out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  if ((at.x + at.y) % 3 == 0) discard;
  uint before = imageAtomicAdd(counts, at, 5u);
  imageStore(drawn, at, vec4(1.0, 0.5, 0.0, 1.0));
  color = vec4(float(before), 0.0, 0.0, 1.0);
}
