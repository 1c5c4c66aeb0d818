#version 450
// Soft focus: the bright parts of a picture are blurred and added to it. Each group of 16 x 16 reads its part of the
// picture with a border once, keeps it in shared memory, and blurs it there: first along the rows, then along the columns.
layout(local_size_x = 16, local_size_y = 16) in;
layout(constant_id = 0) const int RADIUS = 7;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1, rgba8) uniform writeonly image2D result;
layout(push_constant) uniform Push {
  int level;      // of the picture
  float sigma;
  float threshold;
  float strength;
} push;

const int SIDE = 16 + 2 * 7;  // for the largest radius
shared vec3 tile[SIDE][SIDE];
shared vec3 rows[SIDE][16];

vec3 bright(ivec2 at, ivec2 size) {
  vec3 c = texelFetch(picture, clamp(at, ivec2(0), size - 1), push.level).rgb;
  return c * smoothstep(push.threshold, 1.0, max(c.r, max(c.g, c.b)));
}

void main() {
  ivec2 size = textureSize(picture, push.level), local = ivec2(gl_LocalInvocationID.xy), here = ivec2(gl_GlobalInvocationID.xy);
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * 16 - RADIUS;
  int side = 16 + 2 * RADIUS;
  for (int y = local.y; y < side; y += 16)
    for (int x = local.x; x < side; x += 16) tile[y][x] = bright(corner + ivec2(x, y), size);
  barrier();
  float total = 0.0;
  for (int i = -RADIUS; i <= RADIUS; ++i) total += exp(-float(i * i) / (2.0 * push.sigma * push.sigma));
  for (int y = local.y; y < side; y += 16) {
    vec3 sum = vec3(0.0);
    for (int i = -RADIUS; i <= RADIUS; ++i)
      sum += exp(-float(i * i) / (2.0 * push.sigma * push.sigma)) * tile[y][local.x + RADIUS + i];
    rows[y][local.x] = sum / total;
  }
  barrier();
  vec3 glow = vec3(0.0);
  for (int i = -RADIUS; i <= RADIUS; ++i)
    glow += exp(-float(i * i) / (2.0 * push.sigma * push.sigma)) * rows[local.y + RADIUS + i][local.x];
  if (any(greaterThanEqual(here, size))) return;
  vec3 day = texelFetch(picture, here, push.level).rgb;
  vec3 soft = day * day * (1.5 - 0.5 * day) * 0.9 + glow / total * push.strength;
  imageStore(result, here, vec4(here.x < size.x / 2 ? day : soft, 1.0));
}
