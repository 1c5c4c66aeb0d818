//! global 128
//! local 32
//! out o f64 1536
//! in a f64 128 -1e6 1e6
//! in b f64 128 0.1 100
//! in f f32 128 -10 10
//! ulps 1
//! skip icllp tgllp dg2-g10
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void doubles(__global double* o, __global const double* a, __global const double* b, __global const float* f) {
  int g = get_global_id(0);
  double x = a[g], y = b[g];
  __global double* q = o + g * 12;
  q[0] = x + y; q[1] = x * y; q[2] = x / y; q[3] = sqrt(y); q[4] = fma(x, y, (double)f[g]); q[5] = floor(x) + trunc(y);
  q[6] = (double)(long)x; q[7] = (double)(float)x; q[8] = fmin(x, y); q[9] = x < y ? 1 : 2; q[10] = (double)(int)y + (double)(uint)y; q[11] = fabs(x) - ceil(y);
}
