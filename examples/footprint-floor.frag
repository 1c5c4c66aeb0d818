#version 450
#extension GL_NV_shader_texture_footprint : require
// A lane toward the horizon, and what its samples read. Upper row: trilinear filter; lower row: anisotropic. Left the picture, in the middle the
// texels of the finer level that a sample touches, on the right those of the coarser level: black few, white many. Lines part the levels.
layout(binding = 0) uniform sampler2D trilinear;
layout(binding = 1) uniform sampler2D anisotropic;
layout(location = 0) out vec4 color;

const ivec2 PANEL = ivec2(300, 220);
const float HORIZON = 40.0;

vec3 heat(float t) {
  const vec3 steps[6] = vec3[6](vec3(0.02, 0.02, 0.08), vec3(0.32, 0.07, 0.48), vec3(0.76, 0.16, 0.25), vec3(0.96, 0.50, 0.10),
                                vec3(0.99, 0.84, 0.31), vec3(1.0, 1.0, 0.92));
  float at = clamp(t, 0.0, 1.0) * 5.0;
  int i = min(int(at), 4);
  return mix(steps[i], steps[i + 1], at - float(i));
}

// Groups of granularity 1 have 2 x 2 texels; each granularity above has twice as many.
float texels(gl_TextureFootprint2DNV f) {
  uint granularity = f.granularity == 0u ? 1u : f.granularity;
  return float(bitCount(f.mask.x) + bitCount(f.mask.y)) * float(1u << (granularity + 1u));
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy), panel = pixel / PANEL;
  vec2 at = vec2(pixel - panel * PANEL) + 0.5;
  float down = (at.y - HORIZON) / (float(PANEL.y) - HORIZON);
  // The lane is 3 wide and 6 long; footprints want coordinates that do not repeat. The derivatives are those of the projection itself:
  // neighbors of another panel play no part.
  vec2 place = vec2((at.x / float(PANEL.x) - 0.5) * 2.0, 0.75) / max(down, 0.004);
  vec2 uv = vec2(place.x / 3.0 + 0.5, 1.0 - (place.y - 0.75) / 6.0);
  vec2 dx = vec2(2.0 / (3.0 * float(PANEL.x) * max(down, 0.004)), 0.0);
  vec2 dy = down > 0.004 ? vec2(-place.x / 3.0, place.y / 6.0) / (down * (float(PANEL.y) - HORIZON)) : vec2(0.0);
  bool on_lane = all(greaterThan(uv, vec2(0.0))) && all(lessThan(uv, vec2(1.0)));
  bool smooth_filter = panel.y == 0;
  vec3 c;
  float lod = -1.0, count = 4.0;
  bool shown = false, lone = false;
  if (down <= 0.004) {
    c = panel.x == 0 ? mix(vec3(0.42, 0.58, 0.82), vec3(0.85, 0.88, 0.90), at.y / HORIZON) : vec3(0.13);
  } else if (!on_lane) {
    c = panel.x == 0 ? vec3(0.36, 0.44, 0.24) * (0.8 + 0.2 * down) : vec3(0.13);
  } else if (panel.x == 0) {
    c = smooth_filter ? textureGrad(trilinear, uv, dx, dy).rgb : textureGrad(anisotropic, uv, dx, dy).rgb;
  } else {
    gl_TextureFootprint2DNV f;
    bool single;
    if (smooth_filter) {
      if (panel.x == 1)
        single = textureFootprintGradNV(trilinear, uv, dx, dy, 1, false, f);
      else
        single = textureFootprintGradNV(trilinear, uv, dx, dy, 1, true, f);
    } else {
      if (panel.x == 1)
        single = textureFootprintGradNV(anisotropic, uv, dx, dy, 1, false, f);
      else
        single = textureFootprintGradNV(anisotropic, uv, dx, dy, 1, true, f);
    }
    lod = float(f.lod);
    count = texels(f);
    shown = true;
    lone = single && panel.x == 2;  // there is no second level
  }
  // Where a sample falls in the 2 x 2 groups changes its count from pixel to pixel: the mean of four pixels is shown.
  ivec2 side = 1 - 2 * (pixel & 1);
  count += 0.5 * float(side.x) * dFdxFine(count);
  count += 0.5 * float(side.y) * dFdyFine(count);
  if (shown) c = heat((log2(count) - 2.0) / 4.5) * (lone ? 0.45 : 1.0);
  if (abs(dFdx(lod)) + abs(dFdy(lod)) > 0.5 && at.x > 2.0) c = mix(c, vec3(0.35, 0.85, 1.0), 0.7);
  if ((panel.x > 0 && at.x < 2.0) || (panel.y > 0 && at.y < 2.0)) c = vec3(1.0);
  color = vec4(c, 1.0);
}
