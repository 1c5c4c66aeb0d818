//! global 256
//! local 64
//! out o i32 512
//! in a f32 256
//! in b f32 256
__kernel void classify(__global int* o, __global const float* a, __global const float* b) {
  int g = get_global_id(0);
  float x = a[g], y = g % 7 == 0 ? a[g] : b[g];
  o[g * 2] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | isnan(x) << 6 | isinf(y) << 7 | isfinite(x) << 8 | isnormal(y) << 9 | signbit(x) << 10 | isunordered(x, y) << 11 | islessgreater(x, y) << 12;
  o[g * 2 + 1] = !(x < y) | (!(x >= y)) << 1 | (x < y && y > 0) << 2 | (x < y || y < 0) << 3;
}
