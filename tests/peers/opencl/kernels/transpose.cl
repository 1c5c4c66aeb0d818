//! global 64x32
//! local 16x16
//! out o u8 2048
//! in a u8 2048
__kernel void transpose(__global uchar* o, __global const uchar* a) {
  __local uchar t[16][17];
  t[get_local_id(1)][get_local_id(0)] = a[get_global_id(1) * 64 + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = get_group_id(1) * 16 + get_local_id(0), y = get_group_id(0) * 16 + get_local_id(1);
  o[y * 32 + x] = t[get_local_id(0)][get_local_id(1)];
}
