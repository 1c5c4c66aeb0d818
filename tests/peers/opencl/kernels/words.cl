//! global 256
//! local 64
//! out o u32 3072
//! in a i16 256
//! in b i16 256
//! in ua u16 256
//! in ub u16 256
__kernel void words(__global uint* o, __global const short* a, __global const short* b, __global const ushort* ua, __global const ushort* ub) {
  int i = get_global_id(0);
  short x = a[i], y = b[i];
  ushort u = ua[i], v = ub[i];
  __global uint* p = o + i * 12;
  p[0] = add_sat(x, y) ^ (sub_sat(x, y) * 65536u);
  p[1] = add_sat(u, v) ^ (sub_sat(u, v) * 65536u);
  p[2] = hadd(x, y) ^ (rhadd(u, v) * 65536u);
  p[3] = abs(x) ^ (abs_diff(x, y) * 65536u);
  p[4] = mul_hi(x, y) + 3 * mul_hi(u, v);
  p[5] = rotate(x, y) ^ (rotate(u, v) * 65536u);
  p[6] = mad_sat(x, y, y) + 3 * mad_sat(u, v, u);
  p[7] = clz(x) + 100 * clz(u) + 10000 * popcount(u);
  p[8] = x / (y == 0 ? (short)1 : y) + 40000u * (x % (y == 0 ? (short)1 : y));
  p[9] = u / (v | 1) + 65536 * (u % (v | 1));
  p[10] = (short)(x << (v & 15)) ^ ((ushort)(u >> (v & 15)) * 65536u);
  p[11] = upsample(x, u) + (x >> (v & 15));
}
