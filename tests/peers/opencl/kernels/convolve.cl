//! global 40x24
//! local 8x8
//! image a uint8 33 21
//! image-out c uint8 40 24
//! skip pvc
__kernel void convolve(read_only image2d_t a, write_only image2d_t c) {
  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  uint4 x = 0;
  for (int y = -1; y <= 1; ++y) for (int k = -1; k <= 1; ++k) x += read_imageui(a, s, p + (int2)(k, y)) * (uint)((2 - abs(k)) * (2 - abs(y)));
  write_imageui(c, p, x / 16);
}
