//! global 256
//! local 32
//! out o u32 5120
//! in a i32 256
//! in b i32 256
__kernel void dwords(__global uint* o, __global const int* a, __global const int* b) {
  int i = get_global_id(0);
  int x = a[i], y = b[i], d = y == 0 ? 1 : y;
  uint u = (uint)x * 0x9e3779b9u, v = (uint)y ^ 0x55555555u, w = v | 1;
  if (x == INT_MIN) x = 5;
  __global uint* p = o + i * 20;
  p[0] = add_sat(x, y); p[1] = sub_sat(x, y); p[2] = add_sat(u, v); p[3] = sub_sat(u, v);
  p[4] = hadd(x, y); p[5] = rhadd(u, v); p[6] = abs(x); p[7] = abs_diff(x, y);
  p[8] = mul_hi(x, y); p[9] = mul_hi(u, v); p[10] = rotate(u, v); p[11] = mad_sat(x, y, x) + mad_hi(u, v, w);
  p[12] = clz(x) * 100 + popcount(v); p[13] = x / d; p[14] = x % d; p[15] = u / w;
  p[16] = u % w; p[17] = (x << (v & 31)) ^ (x >> (u & 31)) ^ (u >> (v & 31));
  p[18] = mul24(x >> 9, y >> 9) + mad24(x & 0xffff, y & 0xfff, x); p[19] = bitselect(x, y, (int)v) ^ (x > y ? -x : ~y);
}
