//! global 256
//! local 64
//! out o i32 4096
//! in a i8 256
//! in b i8 256
//! in ua u8 256
//! in ub u8 256
__kernel void bytes(__global int* o, __global const char* a, __global const char* b, __global const uchar* ua, __global const uchar* ub) {
  int i = get_global_id(0);
  char x = a[i], y = b[i];
  uchar u = ua[i], v = ub[i];
  __global int* p = o + i * 16;
  p[0] = add_sat(x, y) + 1000 * sub_sat(x, y);
  p[1] = add_sat(u, v) + 1000 * sub_sat(u, v);
  p[2] = hadd(x, y) + 1000 * rhadd(x, y);
  p[3] = hadd(u, v) + 1000 * rhadd(u, v);
  p[4] = abs(x) + 1000 * abs_diff(x, y);
  p[5] = mul_hi(x, y) + 1000 * mul_hi(u, v);
  p[6] = rotate(x, (char)3) + 1000 * rotate(u, v);
  p[7] = mad_sat(x, y, (char)5);
  p[8] = mad_sat(u, v, u);
  p[9] = clz(x) + 100 * clz(u) + 10000 * popcount(u);
  p[10] = min(x, y) + 1000 * max(u, v);
  p[11] = clamp(x, (char)-20, (char)30);
  p[12] = (char)(x * y) + (uchar)(u * v) * 1000;
  p[13] = (y ? x / (y == 0 ? 1 : y) : 7) + 1000 * (u % (v | 1));
  p[14] = (char)(x << (v & 7)) + 1000 * (uchar)(u >> (v & 7)) + 1000000 * (x >> (v & 7));
  p[15] = upsample(x, u) * 3 + upsample(u, v);
}
