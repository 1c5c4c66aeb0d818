//! global 128
//! local 32
//! inout m u32 8 0 0
//! out z u32 4
//! zero
//! races
__kernel void atomics20(__global uint* m, __global uint* z) {
  atomic_fetch_add_explicit((__global atomic_uint*)m, 3u, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max((__global atomic_uint*)m + 1, (uint)get_global_id(0));
  uint e = 0; 
  __local atomic_int t; 
  if (get_local_id(0) == 0) atomic_init(&t, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&t, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (atomic_load(&t) != 32) z[0] = 1;
  atomic_store((__global atomic_uint*)m + 2, 7u); if (atomic_exchange((__global atomic_uint*)m + 3, 0u) != 0) z[1] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  m[0] = m[1] = m[2] = 0;
}
