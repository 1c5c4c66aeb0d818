#version 450
// Decoupled shading, third pass: the floor is drawn with the texture of which only the needed texels were shaded. A magenta pixel would show
// that one is missing. The small picture is the texture's finest level; the bar says how much of all levels was shaded.
layout(binding = 0) uniform sampler2D shading;
layout(binding = 1) readonly buffer Counts { uint shaded; uint all; } counts;
layout(location = 0) out vec4 color;

const ivec2 SCREEN = ivec2(720, 400);

// Where the eye's ray meets the floor; whether one of two balls hides it.
vec2 floor_at(vec2 pixel, out bool seen, out bool on_floor) {
  vec3 eye = vec3(0.4, 1.5, 4.4), ray = normalize(vec3((pixel - vec2(SCREEN) * vec2(0.5, 0.10)) / float(SCREEN.y), -1.0) * vec3(1.0, -1.0, 1.0));
  vec2 uv = (eye.xz - ray.xz * eye.y / min(ray.y, -0.001)) / 8.0 + 0.5;
  on_floor = ray.y < -0.001 && all(greaterThan(uv, vec2(0.0))) && all(lessThan(uv, vec2(1.0)));
  vec3 a = vec3(-0.9, 0.8, 0.6) - eye, b = vec3(1.5, 0.5, 1.8) - eye;
  float along_a = dot(a, ray), along_b = dot(b, ray);
  seen = dot(a, a) - along_a * along_a > 0.64 && dot(b, b) - along_b * along_b > 0.25;
  return uv;
}

// A ball: its color by light from the upper left.
vec3 ball(vec2 pixel) {
  vec3 eye = vec3(0.4, 1.5, 4.4), ray = normalize(vec3((pixel - vec2(SCREEN) * vec2(0.5, 0.10)) / float(SCREEN.y), -1.0) * vec3(1.0, -1.0, 1.0));
  vec3 a = vec3(-0.9, 0.8, 0.6) - eye, b = vec3(1.5, 0.5, 1.8) - eye;
  float along_b = dot(b, ray);
  bool second = dot(b, b) - along_b * along_b <= 0.25;
  vec3 middle = second ? b : a;
  float along = dot(middle, ray), radius2 = second ? 0.25 : 0.64;
  float t = along - sqrt(max(radius2 - (dot(middle, middle) - along * along), 0.0));
  vec3 n = normalize(t * ray - middle);
  float sun = max(dot(n, normalize(vec3(-0.5, 0.7, 0.5))), 0.0);
  return (second ? vec3(0.85, 0.62, 0.18) : vec3(0.72, 0.20, 0.16)) * (0.25 + 0.85 * sun) + pow(sun, 40.0) * 0.6;
}

void main() {
  bool seen, on_floor;
  vec2 uv = floor_at(gl_FragCoord.xy, seen, on_floor);
  vec2 dx = dFdx(uv), dy = dFdy(uv);
  vec3 c = mix(vec3(0.46, 0.56, 0.72), vec3(0.80, 0.82, 0.84), gl_FragCoord.y / 150.0);
  if (!seen)
    c = ball(gl_FragCoord.xy);
  else if (on_floor)
    c = textureGrad(shading, uv, dx, dy).rgb;
  // The texture, and the part of it that was shaded.
  ivec2 at = ivec2(gl_FragCoord.xy) - ivec2(SCREEN.x - 172, 12);
  if (all(greaterThanEqual(at, ivec2(-2))) && all(lessThan(at, ivec2(162)))) {
    bool inside = all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, ivec2(160)));
    c = inside ? texelFetch(shading, at * textureSize(shading, 0) / 160, 0).rgb : vec3(1.0);
  }
  ivec2 bar = at - ivec2(0, 170);
  if (all(greaterThanEqual(bar, ivec2(-2))) && all(lessThan(bar, ivec2(162, 14)))) {
    bool inside = all(greaterThanEqual(bar, ivec2(0))) && all(lessThan(bar, ivec2(160, 12)));
    float part = float(counts.shaded) / float(max(counts.all, 1u));
    c = !inside ? vec3(1.0) : float(bar.x) < part * 160.0 ? vec3(0.20, 0.62, 0.38) : vec3(0.25);
  }
  color = vec4(c, 1.0);
}
