//! global 256
//! local 64
//! out o f32 2048
//! in a f32 256
//! in b f32 256
__kernel void edges(__global float* o, __global const float* a, __global const float* b) {
#pragma OPENCL FP_CONTRACT OFF
  int g = get_global_id(0);
  float x = a[g], y = b[g];
  __global float* q = o + g * 8;
  q[0] = x + y; q[1] = x * y; q[2] = x - y; q[3] = fma(x, y, x);
  q[4] = fmin(x, y); q[5] = fmax(x, y); q[6] = floor(x) ; q[7] = rint(y);
}
