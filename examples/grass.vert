#version 450
// A blade of grass for each point: where it stands, how tall it is, which way it leans. Rows lie closer behind.
layout(push_constant) uniform Push { uint columns, rows; float wind; } push;
layout(location = 0) out vec4 blade;  // x, z, height, angle
layout(location = 1) out float tint;

float number(uint n) {
  n = (n ^ 61u ^ (n >> 16)) * 9u;
  n = (n ^ (n >> 4)) * 0x27d4eb2du;
  return float((n ^ (n >> 15)) & 0xffffu) / 65536.0;
}

void main() {
  uint n = uint(gl_VertexIndex);
  vec2 cell = vec2(n % push.columns, n / push.columns) + vec2(number(3u * n), number(3u * n + 1u));
  float away = 1.0 - cell.y / float(push.rows);       // the last row comes first
  float z = 0.9 + 15.0 * away * away;
  float x = (cell.x / float(push.columns) - 0.5) * (1.0 + 1.85 * z);
  float hill = 0.5 + 0.5 * sin(x * 1.3 + 2.0 * sin(z * 0.7));
  blade = vec4(x, z, 0.22 + 0.28 * number(3u * n + 2u) + 0.16 * hill, 6.2832 * number(7u * n + 5u));
  tint = 0.6 * hill + 0.4 * number(11u * n + 3u);
  gl_Position = vec4(0, 0, 0, 1);
}
