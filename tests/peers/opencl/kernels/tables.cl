//! global 64
//! local 64
//! out o f32 64
//! in a u32 64
//! symbol primes u16 2 3 5 7 11 13 17 19
//! symbol weights f32 0.5 -1.25 3 8
__constant ushort primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant float weights[4] = {0.5f, -1.25f, 3.0f, 8.0f};
__kernel void tables(__global float* o, __global const uint* a) {
  uint i = get_global_id(0);
  o[i] = (float)primes[a[i] & 7] * weights[(a[i] >> 3) & 3];
}
