#version 450
// What a texture is made of, found out by the shader itself: every level is asked for its size and laid out texel by texel; the band below
// compares the sampler's trilinear filter (left) with the same filter made of textureQueryLod, textureSize and eight texelFetch (right).
layout(binding = 0) uniform sampler2D tex;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Push { int first; } push;  // the level that is shown first

const int GAP = 12;
const int BAND = 300;  // where the band begins

bool inside(ivec2 p, ivec2 size) { return all(greaterThanEqual(p, ivec2(0))) && all(lessThan(p, size)); }

vec3 hue(int level) {
  vec3 k = fract(vec3(0.0, 0.667, 0.333) + float(level) * 0.13);
  return clamp(abs(k * 6.0 - 3.0) - 1.0, 0.1, 0.9);
}

// Bilinear by hand: coordinates in texels of the level, weights from the fractions, wrapping as the sampler does.
vec4 bilinear(vec2 at, int level) {
  ivec2 size = textureSize(tex, level);
  vec2 t = at * vec2(size) - 0.5;
  ivec2 i = ivec2(floor(t));
  vec2 f = t - vec2(i);
  ivec2 a = ((i % size) + size) % size, b = (a + 1) % size;
  return mix(mix(texelFetch(tex, a, level), texelFetch(tex, ivec2(b.x, a.y), level), f.x),
             mix(texelFetch(tex, ivec2(a.x, b.y), level), texelFetch(tex, b, level), f.x), f.y);
}

vec3 layout_of_levels(ivec2 p, int levels) {
  vec3 c = vec3(0.94, 0.93, 0.90);
  ivec2 corner = ivec2(GAP);
  for (int level = push.first; level < levels; ++level) {
    ivec2 size = textureSize(tex, level), at = p - corner;
    if (inside(at, size))
      c = texelFetch(tex, at, level).rgb;
    else if (inside(at + 2, size + 4))
      c = hue(level);
    // The small ones again, magnified: three rows of fields.
    int n = level - push.first - 1;
    if (n >= 0) {
      ivec2 field = p - ivec2(430 + (n % 3) * 94, GAP + (n / 3) * 94);
      if (inside(field, ivec2(82)))
        c = texelFetch(tex, field * size / 82, level).rgb;
      else if (inside(field + 2, ivec2(86)))
        c = hue(level);
    }
    corner = level == push.first ? ivec2(corner.x + size.x + GAP, GAP) : ivec2(corner.x, corner.y + size.y + 4);
  }
  return c;
}

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  int levels = textureQueryLevels(tex);
  // A plane under a horizon, for the band.
  float down = max((gl_FragCoord.y - float(BAND)) / 160.0, 0.02);
  vec2 plane = vec2((uv.x - 0.5) * 2.4, 0.55) / down;
  vec4 sampled = texture(tex, plane);
  float lod = clamp(textureQueryLod(tex, plane).x, 0.0, float(levels - 1));
  int lower = int(lod);
  vec4 own = mix(bilinear(plane, lower), bilinear(plane, min(lower + 1, levels - 1)), lod - float(lower));
  vec3 c;
  if (p.y < BAND)
    c = layout_of_levels(p, levels);
  else if (abs(p.x - 356) < 1)
    c = vec3(1.0);
  else
    c = p.x < 356 ? sampled.rgb : own.rgb;
  color = vec4(c, 1.0);
}
