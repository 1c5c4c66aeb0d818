#version 450
// A near red square in front of a far blue one.
layout(location = 0) out vec4 color;
void main() { color = gl_FragCoord.z < 0.5 ? vec4(1.0, 0.0, 0.0, 1.0) : vec4(0.0, 0.0, 1.0, 1.0); }
