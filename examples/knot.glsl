// A knot's tube, as the shaders of meshlets.toml see it; at.x along it, at.y around it, from 0 to 1.
const float kAround = 6.2831853;

vec3 middle_of(float u) {  // of the knot's tube
  float a = kAround * u, r = 2.0 + cos(3 * a);
  return vec3(r * cos(2 * a), r * sin(2 * a), 1.15 * sin(3 * a));
}
vec3 surface(vec2 at, out vec3 normal) {
  vec3 c = middle_of(at.x), along = normalize(middle_of(at.x + 0.001) - c);
  vec3 out_ = normalize(cross(along, cross(vec3(0, 0.2, 1), along)));
  vec3 side = cross(along, out_);
  normal = cos(kAround * at.y) * out_ + sin(kAround * at.y) * side;
  return c + 0.55 * normal;
}
vec3 turned(vec3 p) {
  p.xz = mat2(cos(push.turn), sin(push.turn), -sin(push.turn), cos(push.turn)) * p.xz;
  p.yz = mat2(cos(0.5), sin(0.5), -sin(0.5), cos(0.5)) * p.yz;
  return p + vec3(-0.1, 0.1, 9.2);
}
