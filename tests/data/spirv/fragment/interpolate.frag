#version 450
// Inputs at other places of the pixel; flat ones stay.
layout(location = 0) in vec2 uv;
layout(location = 1) noperspective in vec2 plain;
layout(location = 0) out vec4 moved;
layout(location = 1) out vec4 others;
void main() {
  vec2 offset = vec2(0.25, -0.375);
  moved = vec4(interpolateAtOffset(uv, offset), interpolateAtOffset(plain, offset));
  others = vec4(interpolateAtCentroid(uv), interpolateAtOffset(uv.y, vec2(0.0, 0.5)), fwidth(uv.x));
}
