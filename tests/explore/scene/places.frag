#version 450
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
void main() { color = vec4(place, 0.0, 1.0); }
