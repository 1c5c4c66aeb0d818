//! heavy
//! global 48x40
//! local 16x8
//! image a unorm8 37 29
//! image b float32 16 8
//! image-out c float32 48 40
//! sampler s linear clamp_to_edge
//! sampler t nearest repeat
//! absolute 0.02
//! skip pvc
__kernel void images(read_only image2d_t a, read_only image2d_t b, write_only image2d_t c, sampler_t s, sampler_t t) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float2 uv = (convert_float2(p) + 0.37f) / (float2)(40, 33);
  float4 x = read_imagef(a, s, uv) + read_imagef(b, t, uv * 3.0f - 1.2f);
  x += read_imagef(a, CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, p - 5);
  write_imagef(c, p, x + (float)(get_image_width(a) * 100 + get_image_height(b)));
}
