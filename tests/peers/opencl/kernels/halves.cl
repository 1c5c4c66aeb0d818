//! global 128
//! local 32
//! halves
//! out o f16 1024
//! in a f16 128 -8 8
//! in b f16 128 0.25 4
//! ulps 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void halves(__global half* o, __global const half* a, __global const half* b) {
  int g = get_global_id(0);
  half x = a[g], y = b[g];
  __global half* q = o + g * 8;
  q[0] = x + y; q[1] = x * y; q[2] = x - y; q[3] = x / y; q[4] = x < y ? x : y; q[5] = (half)(int)(x * 100.0h); q[6] = (half)((float)x * 0.3f); q[7] = -x;
}
