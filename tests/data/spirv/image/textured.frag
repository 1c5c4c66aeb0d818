#version 450
layout(set = 0, binding = 0) uniform sampler2D tex;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 facts;
void main() {
  vec2 uv = gl_FragCoord.xy * vec2(0.0825, 0.15625);
  uv.x = uv.x * uv.x;
  vec4 c = texture(tex, uv);
  facts = vec4(textureQueryLod(tex, uv), vec2(textureSize(tex, 1)));
  if (gl_FragCoord.x < 3.0) discard;
  color = c;
}
