//! global 8x8x8
//! local 8x4x2
//! image v uint8 8 6 5
//! out o u32 512
//! sampler s nearest clamp_to_edge unnormalized
//! skip pvc
__kernel void volume(read_only image3d_t v, __global uint* o, sampler_t s) {
  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  uint4 x = read_imageui(v, s, p);
  o[(p.z * 8 + p.y) * 8 + p.x] = x.x | x.y << 8 | x.z << 16 | x.w << 24;
}
