//! global 128
//! local 32
//! out o u16 512
//! out f f32 256
//! in a f32 128 -100000 100000
//! in h u16 128
__kernel void halves_storage(__global ushort* o, __global float* f, __global const float* a, __global const ushort* h) {
  int g = get_global_id(0);
  vstore_half(a[g], g * 4, (__global half*)o);
  vstore_half_rtz(a[g] * 0.001f, g * 4 + 1, (__global half*)o);
  vstore_half_rtp(a[g] * 1e-9f, g * 4 + 2, (__global half*)o);
  vstore_half_rtn(a[g] * 1e-4f, g * 4 + 3, (__global half*)o);
  f[g * 2] = vload_half(g, (__global const half*)h);
  f[g * 2 + 1] = vload_half(127 - g, (__global const half*)h);
}
