//! heavy
//! races
//! global 128
//! local 64
//! out o u32 256
//! in a u32 128
//! zero
__kernel void wg(__global uint* o, __global const uint* a) {
  __local uint t[64];
  uint g = get_global_id(0), l = get_local_id(0), x = a[g];
  t[l] = x; barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0, scan = 0, mn = ~0u;
  for (uint k = 0; k < 64; ++k) { sum += t[k]; mn = min(mn, t[k]); if (k <= l) scan += t[k]; }
  o[g * 2] = (work_group_reduce_add(x) != sum) + 2 * (work_group_reduce_min(x) != mn) + 4 * (work_group_scan_inclusive_add(x) != scan);
  o[g * 2 + 1] = (work_group_broadcast(x, 5) != t[5]) + 2 * (work_group_any(x == t[7]) == 0) + 4 * work_group_all(x == t[7]);
}
