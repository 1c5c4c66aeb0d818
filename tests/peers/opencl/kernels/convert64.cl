//! global 128
//! local 32
//! out o i64 1280
//! in f f32 128 -1e15 1e15
//! in d i64 128
__kernel void convert64(__global long* o, __global const float* f, __global const long* d) {
  int i = get_global_id(0);
  __global long* p = o + i * 10;
  p[0] = (long)f[i]; p[1] = convert_long_sat(f[i] * 1e6f); p[2] = convert_ulong_sat(f[i] * 1e6f); p[3] = convert_long_rte(f[i] * 1e-12f);
  p[4] = as_int((float)d[i]); p[5] = as_int((float)(ulong)d[i]); p[6] = convert_int_sat(d[i]); p[7] = convert_uchar_sat(d[i]);
  p[8] = convert_ulong_sat(d[i]); p[9] = convert_short_sat((ulong)d[i]);
}
