//! global 256
//! local 64
//! inout m i32 32 -1000 1000
//! in a i32 256
//! out f f32 2
__kernel void atomics32(__global int* m, __global const int* a, __global float* f) {
  int g = get_global_id(0), x = a[g];
  atomic_add(m + 0, x); atomic_sub(m + 1, x); atomic_inc(m + 2); atomic_dec(m + 3);
  atomic_min(m + 4, x); atomic_max(m + 5, x); atomic_and(m + 6, x | 0xff); atomic_or(m + 7, x & 0xff); atomic_xor(m + 8, x);
  atomic_min((volatile __global uint*)m + 9, (uint)x); atomic_max((volatile __global uint*)m + 10, (uint)x);
  if (g == 77) { m[12] = atomic_xchg(m + 11, 4711); m[14] = atomic_cmpxchg(m + 13, m[13], 5); m[15] = atomic_cmpxchg(m + 13, 4, 6); }
  int ticket = atomic_inc(m + 16 + (g & 7)), sum = 0;
  volatile __global int* total = m + 24;
  int seen = *total, old;
  do { old = seen; seen = atomic_cmpxchg(total, old, old * 1 + 3); } while (seen != old);
  volatile __global uint* bits = (volatile __global uint*)f;
  uint e = *bits, o;
  do { o = e; e = atomic_cmpxchg(bits, o, as_uint(as_float(o) + 0.25f)); } while (e != o);
}
