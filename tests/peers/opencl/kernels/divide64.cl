//! global 128
//! local 32
//! out o u64 512
//! in a i64 128
//! in b i64 128
//! in s i32 128 1 5000
__kernel void divide64(__global ulong* o, __global const long* a, __global const long* b, __global const int* s) {
  int i = get_global_id(0);
  long x = a[i], y = b[i] >> (s[i] & 63);
  if (y == 0 || y == -1) y = s[i];
  ulong u = (ulong)x, v = (ulong)y >> (s[i] & 31) | 1;
  o[i * 4] = x / y; o[i * 4 + 1] = x % y; o[i * 4 + 2] = u / v; o[i * 4 + 3] = u % v;
}
