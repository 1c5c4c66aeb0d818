//! global 128
//! local 32
//! out o u32 512
//! in a u32 128
//! zero
//! skip skl.simd32 icllp.simd32 tgllp.simd32 dg2-g10.simd32
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
__kernel void sub(__global uint* o, __global const uint* a) {
  __local uint t[32];
  uint g = get_global_id(0), l = get_local_id(0), n = get_sub_group_size(), id = get_sub_group_local_id(), first = get_sub_group_id() * get_max_sub_group_size();
  uint x = a[g] | 1;
  t[l] = x; barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0, mx = 0, scan = 0;
  for (uint k = 0; k < n; ++k) { sum += t[first + k]; mx = max(mx, t[first + k]); if (k < id) scan += t[first + k]; }
  o[g * 4] = (sub_group_reduce_add(x) != sum) + 2 * (sub_group_reduce_max(x) != mx);
  o[g * 4 + 1] = (sub_group_scan_exclusive_add(x) != scan) + 2 * (sub_group_scan_inclusive_add(x) != scan + x);
  o[g * 4 + 2] = (sub_group_broadcast(x, 3) != t[first + 3]) + 2 * (intel_sub_group_shuffle(x, (id * 3 + 1) % n) != t[first + (id * 3 + 1) % n]);
  o[g * 4 + 3] = (sub_group_any(x == t[first + 2]) != 1) + 2 * (sub_group_all(x != 0) != 1) + 4 * (intel_sub_group_shuffle_xor(x, 1) != t[first + (id ^ 1)]);
}
