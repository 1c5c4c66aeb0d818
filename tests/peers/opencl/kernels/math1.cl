//! heavy
//! global 256
//! local 64
//! out o f32 4096
//! in a f32 256 -20 20
//! in p f32 256 0.001 50
//! ulps 4
__kernel void math1(__global float* o, __global const float* a, __global const float* p) {
  int g = get_global_id(0);
  float x = a[g], y = p[g];
  __global float* q = o + g * 16;
  q[0] = sin(x); q[1] = cos(x); q[2] = exp(x); q[3] = log(y); q[4] = exp2(x); q[5] = log2(y); q[6] = sqrt(y); q[7] = rsqrt(y);
  q[8] = x / y; q[9] = 1.0f / y; q[10] = exp10(x); q[11] = log10(y); q[12] = fabs(x) + floor(x) + ceil(y) + trunc(x) + rint(x) + round(y); q[13] = log1p(y); q[14] = expm1(x); q[15] = cbrt(x);
}
