//! heavy
//! global 128
//! local 32
//! out o f32 1024
//! in p f32 128 0.1 3
//! ulps 8192
//! absolute 1e-4
__kernel void native(__global float* o, __global const float* p) {
  int g = get_global_id(0);
  float y = p[g];
  __global float* q = o + g * 8;
  q[0] = native_sin(y); q[1] = native_cos(y); q[2] = native_exp2(y); q[3] = native_log2(y); q[4] = native_sqrt(y); q[5] = native_rsqrt(y); q[6] = native_recip(y) + native_divide(2.0f, y); q[7] = half_powr(y, 2.5f) + native_powr(y, 1.5f) + native_exp(y) + native_log(y) + native_tan(y * 0.3f);
}
