#version 450
// One depth map, three filters: a single comparison (left), the sampler's own 2 x 2 (middle), and 64 texels by sixteen textureGather,
// compared and weighted in the shader (right).
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
layout(location = 3) in vec3 light;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform texture2D depth_map;
layout(binding = 1) uniform sampler plain;
layout(binding = 2) uniform samplerShadow hard;
layout(binding = 3) uniform samplerShadow soft;

// A tent over 8 x 8 texels: each gather brings four depths; the weights of the outer texels move with the fraction, so that the edge is smooth.
float gathered(vec2 at, float z) {
  vec2 size = vec2(textureSize(sampler2D(depth_map, plain), 0));
  vec2 t = at * size - 0.5;
  vec2 base = floor(t), f = t - base;
  float sum = 0.0, total = 0.0;
  for (int y = -3; y <= 3; y += 2)
    for (int x = -3; x <= 3; x += 2) {
      vec2 corner = base + vec2(x, y);
      vec4 depth = textureGather(sampler2D(depth_map, plain), (corner + 1.0) / size);
      vec4 lit = step(vec4(z), depth);  // (0,1) (1,1) (1,0) (0,0)
      vec2 near = 4.0 - abs(vec2(x, y) - f), far = 4.0 - abs(vec2(x, y) + 1.0 - f);
      vec2 a = max(near, 0.0), b = max(far, 0.0);
      vec4 weight = vec4(a.x * b.y, b.x * b.y, b.x * a.y, a.x * a.y);
      sum += dot(lit, weight);
      total += dot(weight, vec4(1.0));
    }
  return sum / total;
}

void main() {
  vec3 n = normalize(normal);
  float facing = dot(n, vec3(-0.6917, 0.6571, 0.2997));
  float z = light.z - 0.004 - 0.008 * (1.0 - clamp(facing, 0.0, 1.0));  // more where the light grazes
  vec2 at = light.xy;
  int x = int(gl_FragCoord.x);
  float lit;
  if (x < 240)
    lit = textureLod(sampler2DShadow(depth_map, hard), vec3(at, z), 0.0);
  else if (x < 480)
    lit = textureLod(sampler2DShadow(depth_map, soft), vec3(at, z), 0.0);
  else
    lit = gathered(at, z - 0.004);
  if (any(lessThan(at, vec2(0.0))) || any(greaterThan(at, vec2(1.0)))) lit = 1.0;
  float sun = max(facing, 0.0) * lit;
  float sky = 0.5 + 0.5 * n.y;
  vec2 tile = abs(fract(world.xz * 0.8 + 0.03) - 0.5);
  float joint = world.y < 0.01 ? clamp((max(tile.x, tile.y) - 0.482) * 90.0, 0.0, 1.0) : 0.0;
  vec3 c = color * (sun * vec3(1.22, 1.06, 0.80) + sky * vec3(0.20, 0.26, 0.36) + 0.05) * (1.0 - 0.35 * joint);
  c = sqrt(clamp(c, 0.0, 1.0));
  if (x == 240 || x == 480) c = vec3(1.0);
  result = vec4(c, 1.0);
}
