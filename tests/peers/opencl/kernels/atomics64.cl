//! global 128
//! local 32
//! inout m i64 16 -1000 1000
//! in a i64 128
//! skip dg2-g10 icllp tgllp
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void atomics64(__global long* m, __global const long* a) {
  long x = a[get_global_id(0)];
  atom_add(m + 0, x); atom_sub(m + 1, x); atom_inc(m + 2); atom_dec(m + 3);
  atom_min(m + 4, x); atom_max(m + 5, x); atom_and(m + 6, x | 0xff); atom_or(m + 7, x & 0xff); atom_xor(m + 8, x);
  atom_min((volatile __global ulong*)m + 9, (ulong)x); atom_max((volatile __global ulong*)m + 10, (ulong)x);
  if (get_global_id(0) == 7) { m[12] = atom_xchg(m + 11, 4711); m[14] = atom_cmpxchg(m + 13, m[13], 5); }
}
