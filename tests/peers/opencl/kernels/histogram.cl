//! global 512
//! local 64
//! inout h u32 64 0 0
//! in a u8 512
__kernel void histogram(__global uint* h, __global const uchar* a) {
  __local uint t[64];
  t[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&t[a[get_global_id(0)] & 63]);
  atomic_add(&t[a[get_global_id(0)] >> 2], 1000);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&h[get_local_id(0)], t[get_local_id(0)]);
}
