#version 450
#extension GL_NV_shader_texture_footprint : require
#extension GL_EXT_nonuniform_qualifier : require
layout(location=0) in vec2 p[3];
layout(location=3) flat in int n[4];
layout(location=7) in float l[2];
layout(location=9) flat in uvec2 q[2];
layout(location=0) out uvec4 o;
layout(location=1) out vec4 c;
layout(binding=0) uniform sampler2D t[4];
layout(binding=5) uniform sampler3D v[2];
void main(){
  int i = n[int(gl_FragCoord.x)&3];
  gl_TextureFootprint2DNV f;
  bool s = textureFootprintNV(t[nonuniformEXT(i&3)], p[(i+1)%3], 5, false, f);
  o = uvec4(f.anchor + f.offset, f.mask.x, uint(s) + q[i&1].x);
  s = textureFootprintLodNV(t[nonuniformEXT(q[1].y&3u)], p[i%3] + vec2(n[i&3]), l[i&1] + float(n[(i*3)&3]), 3, true, f);
  o += uvec4(f.anchor, f.lod, f.granularity);
  gl_TextureFootprint3DNV g;
  s = textureFootprintNV(v[nonuniformEXT(i&1)], vec3(p[i%3], l[1]), 3, false, g, l[n[2]&1]);
  c = vec4(g.anchor, float(g.lod) + l[i&1]);
  textureFootprintGradNV(t[nonuniformEXT(n[1]&3)], p[0], p[i%3], p[2], 4, false, f);
  c.x += float(f.mask.y);
}
