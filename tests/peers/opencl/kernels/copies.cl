//! global 128
//! local 32
//! out o u8 2560
//! in a u8 2560
__kernel void copies(__global uchar* o, __global const uchar* a) {
  __local uchar t[512];
  event_t e = async_work_group_copy(t, a + get_group_id(0) * 512, 512, 0);
  wait_group_events(1, &e);
  int l = get_local_id(0);
  __global uchar* q = o + get_group_id(0) * 640;
  vstore16(vload16(l, t), l, q); 
  ((__global uint*)(q + 512))[l] = ((__local uint*)t)[l] ^ as_uint(vload4(l, t));
}
