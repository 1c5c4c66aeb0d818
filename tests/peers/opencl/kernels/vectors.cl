//! global 64
//! local 32
//! out o f32 1024
//! out q i32 1024
//! in a f32 1024 -4 4
//! in c i16 1024
//! ulps 4
//! absolute 1e-5
__kernel void vectors(__global float* o, __global int* q, __global const float* a, __global const short* c) {
  int g = get_global_id(0);
  float4 x = vload4(g * 4, a), y = vload4(g * 4 + 1, a), z = vload4(g * 4 + 2, a);
  float3 u = vload3(g, a), v = vload3(g + 64, a);
  vstore4(shuffle2(x, y, (uint4)(7, 0, 5, 2)) + z.wzyx, g * 4, o);
  vstore3(cross(u, v), 1, o + g * 16 + 1);
  o[g * 16 + 7] = dot(x, y); o[g * 16 + 8] = length(u); o[g * 16 + 9] = distance(x, z);
  vstore4(normalize(z), 0, o + g * 16 + 10);
  o[g * 16 + 14] = mix(x.x, y.y, 0.25f); o[g * 16 + 15] = smoothstep(-2.0f, 2.0f, z.z);
  short8 s = vload8(g * 2, c), t = vload8(g * 2 + 1, c);
  int8 r = convert_int8(select(s, t, s > t)) * 3;
  vstore8(r, 0, q + g * 16);
  short16 e = vload16(g, c);
  q[g * 16 + 8] = any(s == t) + 2 * all(s != t) + 4 * any(s > (short8)30000);
  q[g * 16 + 9] = e.s0 + e.sf * 3 + e.s5 * 5; q[g * 16 + 10] = ((short*)&e)[g & 15];
  uchar4 k = convert_uchar4_sat(x * 100.0f); q[g * 16 + 11] = as_int(k); q[g * 16 + 12] = as_int(k.wzyx);
  q[g * 16 + 13] = isless(x.x, y.x) | isnan(x.y) << 1 | signbit(z.x) << 2; int4 m = isgreater(x, y); q[g * 16 + 14] = m.x + 2 * m.y + 4 * m.w;
  q[g * 16 + 15] = max(s.s0, t.s1) + min(s.s2, t.s3);
}
