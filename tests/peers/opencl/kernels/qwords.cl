//! global 256
//! local 64
//! out o u64 5120
//! in a i64 256
//! in b i64 256
__kernel void qwords(__global ulong* o, __global const long* a, __global const long* b) {
  int i = get_global_id(0);
  long x = a[i], y = b[i];
  ulong u = (ulong)x * 0x9e3779b97f4a7c15ul, v = (ulong)y ^ 0x5555555555555555ul;
  __global ulong* p = o + i * 20;
  p[0] = x + y; p[1] = x - y; p[2] = x * y; p[3] = u & ~v;
  p[4] = x << (v & 63); p[5] = x >> (v & 63); p[6] = u >> (v & 63); p[7] = x < y ? 1 : u > v ? 2 : 3;
  p[8] = min(x, y); p[9] = max(u, v); p[10] = abs(x); p[11] = abs_diff(x, y);
  p[12] = mul_hi(x, y); p[13] = mul_hi(u, v); p[14] = rotate(u, v); p[15] = clz(x) + 100 * popcount(v);
  p[16] = add_sat(x, y); p[17] = sub_sat(u, v); p[18] = hadd(x, y) ^ rhadd(u, v); p[19] = upsample((int)x, (uint)y);
}
