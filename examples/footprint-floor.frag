#version 450
#extension GL_NV_shader_texture_footprint : require
// A floor to the horizon, and what its samples read. Upper row: trilinear filter; lower row: anisotropic. Left the picture, in the middle the
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
  vec2 uv = vec2((at.x / float(PANEL.x) - 0.5) * 1.6, 0.7) / max(down, 0.004);
  // The derivatives of the projection itself: neighbours of another panel play no part.
  vec2 dx = vec2(1.6 / float(PANEL.x), 0.0) / max(down, 0.004);
  vec2 dy = down > 0.004 ? -uv / (down * (float(PANEL.y) - HORIZON)) : vec2(0.0);
  bool smooth_filter = panel.y == 0;
  vec3 c;
  float lod = -1.0;
  if (down <= 0.004) {
    c = panel.x == 0 ? mix(vec3(0.42, 0.58, 0.82), vec3(0.85, 0.88, 0.90), at.y / HORIZON) : vec3(0.13);
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
    c = heat((log2(texels(f)) - 1.8) / 6.0);
    if (single && panel.x == 2) c *= 0.45;  // there is no second level
  }
  if (abs(dFdx(lod)) + abs(dFdy(lod)) > 0.5 && at.x > 2.0) c = mix(c, vec3(0.35, 0.85, 1.0), 0.7);
  if ((panel.x > 0 && at.x < 2.0) || (panel.y > 0 && at.y < 2.0)) c = vec3(1.0);
  color = vec4(c, 1.0);
}
