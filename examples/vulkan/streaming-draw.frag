#version 450
// Third pass: the town with the tiles that were loaded. Texels of the others have no alpha, and the result would tell.
// What is hidden reads nothing, as it marked nothing.
layout(early_fragment_tests) in;
layout(binding = 0) uniform sampler2D town;
layout(location = 0) in vec2 coordinate;
layout(location = 1) in float light;
layout(location = 0) out vec4 color;

void main() {
  vec4 texel = texture(town, coordinate);
  color = vec4(texel.rgb * light, texel.a);
}
