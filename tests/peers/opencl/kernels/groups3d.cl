//! global 12x6x4
//! local 4x3x2
//! offset 5x0x7
//! out o i32 7000
__kernel void groups3d(__global int* o) {
  int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1), z = get_global_id(2) - 7;
  __global int* p = o + ((z * 6 + y) * 12 + x) * 24;
  for (int d = 0; d < 3; ++d) {
    p[d] = get_global_id(d); p[3 + d] = get_local_id(d); p[6 + d] = get_group_id(d); p[9 + d] = get_local_size(d);
    p[12 + d] = get_global_size(d); p[15 + d] = get_num_groups(d); p[18 + d] = get_global_offset(d);
  }
  p[21] = get_work_dim(); p[22] = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
}
