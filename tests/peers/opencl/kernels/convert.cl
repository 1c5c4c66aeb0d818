//! global 256
//! local 64
//! out o i32 6144
//! in f f32 256 -300 300
//! in g f32 256 -5e9 5e9
//! in d i32 256
//! in w i16 256
__kernel void convert(__global int* o, __global const float* f, __global const float* g, __global const int* d, __global const short* w) {
  int i = get_global_id(0);
  __global int* p = o + i * 24;
  float x = f[i], y = g[i];
  p[0] = convert_char_sat(x); p[1] = convert_uchar_sat_rte(x); p[2] = convert_short_sat_rtp(y); p[3] = convert_ushort_sat_rtn(x);
  p[4] = convert_int_sat(y); p[5] = convert_uint_sat(y); p[6] = convert_int_rtn(x); p[7] = convert_int_rtp(x);
  p[8] = convert_int_rte(x); p[9] = convert_int_rtz(x); p[10] = convert_char_sat(d[i]); p[11] = convert_uchar_sat(d[i]);
  p[12] = convert_short_sat(d[i]); p[13] = convert_ushort_sat(d[i]); p[14] = convert_uint_sat(d[i]); p[15] = convert_uchar(w[i]);
  p[16] = as_int(convert_float(d[i])); p[17] = as_int(convert_float((uint)d[i])); p[18] = as_int(convert_float_rtz(d[i])); p[19] = as_int(convert_float_rtp(d[i]));
  p[20] = as_int(convert_float_rtn((uint)d[i])); p[21] = as_int(convert_float(w[i])); p[22] = (int)(x * 0.5f) + (char)(int)x; p[23] = as_int((float)(uchar)d[i]);
}
