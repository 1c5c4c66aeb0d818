#version 450
// One triangle over the whole picture; what it sends on is half of the picture's fractions.
layout(location = 0) out vec2 place;
void main() {
  vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  place = at;
  gl_Position = vec4(at * 4.0 - 1.0, 0.25, 1.0);
}
