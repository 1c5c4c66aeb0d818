//! global 16x4
//! local 16x1
//! image-out a uint32 16 4
//! out z u32 64
//! zero
//! skip pvc
__kernel void rw(read_write image2d_t a, __global uint* z) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(a, p, (uint4)(p.x, p.y, 3, 4));
  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
  uint4 x = read_imageui(a, p);
  z[p.y * 16 + p.x] = x.x != p.x || x.y != p.y || x.w != 4;
  write_imageui(a, p, (uint4)0);
}
