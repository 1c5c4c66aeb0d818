#version 450
// The corner of a patch: where it lies on the ground, from 0 to 1.
layout(location = 0) out vec2 ground;

const int kPatches = 16;

void main() {
  int patch_number = gl_VertexIndex / 4, corner = gl_VertexIndex % 4;
  vec2 corner_at = vec2(corner == 1 || corner == 2 ? 1 : 0, corner >= 2 ? 1 : 0);
  ground = (vec2(patch_number % kPatches, patch_number / kPatches) + corner_at) / kPatches;
}
